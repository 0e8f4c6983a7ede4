/**
 * Links that download a file of the service. The browser says of a refused download only that it failed; so the session is read first: one
 * that has ended asks for the sign-in, and a service that does not answer is said to.
 */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type MouseEvent, type ReactNode, useId, useRef } from 'react';
import { readSession, SESSION_KEY } from '../session/session-gate.tsx';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { hint } from './hint.tsx';
import { Icon } from './icon.tsx';
import { hideFailure, notify } from './notify.tsx';

/** Longer than the service takes to say who is signed in, and shorter than a person waits for a file to begin. */
const ANSWER_WITHIN_MS = 10_000;

interface DownloadProps {
  readonly href: string;
  /** What a pointer on it is told. */
  readonly help?: string;
  readonly children: ReactNode;
}

export function Download({ href, help, children }: DownloadProps) {
  return (
    <a className="text-link" {...useDownload(href)} {...(help !== undefined && hint(help))}>
      {children}
    </a>
  );
}

export function DownloadButton({ href, children }: DownloadProps) {
  return (
    <Button component="a" {...useDownload(href)} variant="default" leftSection={<Icon name="download" size={16} />}>
      {children}
    </Button>
  );
}

function useDownload(href: string) {
  const queries = useQueryClient();
  const changeId = useId();
  const { noAnswer } = useTexts(COMMON);
  const isUnderWay = useRef(false);
  const start = async () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    try {
      const reading = queries.fetchQuery({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: 0, retry: false });
      const session = await Promise.race([reading, refuseAfter(ANSWER_WITHIN_MS)]);
      hideFailure(changeId);
      if (session) save(href);
    } catch {
      notify(noAnswer, { changeId, isFailure: true });
    } finally {
      isUnderWay.current = false;
    }
  };
  return {
    href,
    download: true,
    onClick(event: MouseEvent<HTMLAnchorElement>) {
      // Another window gets the address itself.
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      void start();
    },
  };
}

async function refuseAfter(milliseconds: number): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  throw new Error('No answer in time.');
}

function save(href: string): void {
  const link = document.createElement('a');
  Object.assign(link, { href, download: '' });
  link.click();
}
