import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

export const needsTerminal = {
  skip: spawnSync('script', ['--version']).status === 0 ? false : 'there is no program `script` here',
};

interface Typing {
  readonly env: Record<string, string>;
  /** What the command asks. */
  readonly prompt: string;
  /** What the shell does with the outputs, such as `2>FILE`. */
  readonly redirect?: string;
  /** What is typed then; or what happens while the question stands, and what is typed afterwards. */
  readonly typed: string | (() => Promise<string>);
}

/** Runs a command on a terminal and types when it has asked. */
export async function onTerminal(words: readonly string[], { env, prompt, typed, redirect = '' }: Typing) {
  const line = [process.execPath, MAIN, ...words]
    .map((word) => `'${word}'`)
    .join(' ')
    .concat(` ${redirect}`);
  const child = spawn('script', ['-qec', line, '/dev/null'], { env: { ...process.env, ...env } });
  let shown = '';
  let typing: Promise<void> | undefined;
  const type = async () => void child.stdin.write(typeof typed === 'string' ? typed : await typed());
  child.stdout.on('data', (chunk: Buffer) => {
    if (!shown.includes(prompt) && `${shown}${chunk}`.includes(prompt)) typing = type();
    shown += chunk;
  });
  const [code] = await once(child, 'exit');
  await typing;
  return { code, shown };
}
