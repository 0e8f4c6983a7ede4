import { Box, MantineThemeProvider, useMantineTheme } from '@mantine/core';
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import type { RefCallback } from 'react';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';

const SHOWN_MS = 6_000;
/** A name may have hundreds of characters, and is shown whole. */
const HEIGHT_MAX = 600;

/** What was done, in room of its own: it lies over nothing. */
export function Toasts({ measure }: { readonly measure?: RefCallback<HTMLDivElement | null> }) {
  const { close } = useTexts(COMMON);
  const components = { Notification: { defaultProps: { closeButtonProps: { 'aria-label': close } } } };
  return (
    <Box className="toasts" {...(measure && { ref: measure })}>
      <MantineThemeProvider theme={{ components }}>
        <Notifications position="top-center" withinPortal={false} autoClose={SHOWN_MS} notificationMaxHeight={HEIGHT_MAX} />
      </MantineThemeProvider>
    </Box>
  );
}

interface ToastRoom {
  /** Whether the messages stand in the menu, or else below the bar of a narrow screen. */
  readonly isInMenu: boolean;
  readonly measure: RefCallback<HTMLDivElement | null>;
  /** In pixels, so that the bar grows by it. */
  readonly height: number;
}

export function useToastRoom(): ToastRoom {
  const { breakpoints } = useMantineTheme();
  const isInMenu = useMediaQuery(`(min-width: ${breakpoints.lg})`) ?? true;
  const { ref, height } = useElementSize<HTMLDivElement>();
  return { isInMenu, measure: ref, height };
}
