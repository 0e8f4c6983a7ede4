const SHOWN_CHARACTERS_MAX = 200;

/**
 * Untrusted text for a terminal: an identifier unchanged, anything else in quotation marks, cut, and with every character escaped that
 * could move the cursor, change colours or turn the direction of writing. `evt_01` → `evt_01`; `a b` → `"a b"`; an escape character →
 * `"\u001b"`
 */
export function escapeForTerminal(text: string): string {
  if (/^[\w.:/+=-]{1,200}$/.test(text)) return text;
  const shown = text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
  return JSON.stringify(shown).replace(/[^ -~…]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
