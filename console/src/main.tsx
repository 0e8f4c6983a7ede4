import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app/charts.css';
import './app/console.css';
import './app/links.css';
import './app/records.css';
import './app/tiles.css';
import './app/compact-records.css';
import './app/toasts.css';
import './app/paper.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterContextProvider, RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { printInLight } from './app/paper.ts';
import { createQueryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { resolveVariables, theme } from './app/theme.ts';
import { SessionGate } from './session/session-gate.tsx';
import { LanguageProvider } from './texts/language.tsx';

/** Styles that the page makes while it runs carry the nonce of its policy; so do those of the lock of scrolling, which asks webpack. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
Object.assign(globalThis, { __webpack_nonce__: nonce });

printInLight();

// The page is loaded while the service is asked who is signed in.
if (location.pathname !== '/sign-in') void router.preloadRoute({ to: location.pathname as never });

createRoot(document.getElementById('root') as HTMLElement).render(
  <LanguageProvider>
    <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={createQueryClient()}>
        <RouterContextProvider router={router}>
          <SessionGate>
            <RouterProvider router={router} />
          </SessionGate>
        </RouterContextProvider>
      </QueryClientProvider>
    </MantineProvider>
  </LanguageProvider>,
);
