/** Texts in both languages, beside each other. */

export type Language = 'en' | 'ar';

/** `['Reviews', 'المراجعات']`. A function where something stands in it. */
export type Text<Form = string> = readonly [en: Form, ar: Form];

// biome-ignore lint/suspicious/noExplicitAny: the parameters of a text are its own.
export type Texts = Readonly<Record<string, Text<any>>>;
export type TextsOf<Table extends Texts> = { readonly [Name in keyof Table]: Table[Name][0] };

/** The texts of a table in one language. */
export function inLanguage<Table extends Texts>(table: Table, language: Language): TextsOf<Table> {
  const at = language === 'en' ? 0 : 1;
  return Object.fromEntries(Object.entries(table).map(([name, text]) => [name, text[at]])) as TextsOf<Table>;
}
