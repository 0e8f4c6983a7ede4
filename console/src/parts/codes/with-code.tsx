import { Code } from '@mantine/core';

/** A text in which codes stand between backquotes: each from left to right and in one piece, whatever the direction of the language. */
export function WithCode({ text }: { readonly text: string }) {
  return text.split(/(`[^`]+`)/).map((part) =>
    part.startsWith('`') ? (
      <Code key={part} dir="ltr" className="code-word">
        {part.slice(1, -1)}
      </Code>
    ) : (
      part
    ),
  );
}
