import { List } from '@mantine/core';
import { useLanguage } from '../../texts/language.tsx';
import type { ReconciliationLine } from './verdicts.ts';
import { whyUnreadable } from './wrong-line.ts';

/** What is wrong with each field of a line, below each other. */
export function WhyUnreadable({ line }: { readonly line: ReconciliationLine }) {
  const { language } = useLanguage();
  return (
    <List size="sm" className="foreign">
      {whyUnreadable(line, language).map(({ field, reason }) => {
        const [before = '', ...after] = reason.split(field);
        return (
          <List.Item key={field}>
            {before}
            {after.length > 0 && <span className="id">{field}</span>}
            {after.join(field)}
          </List.Item>
        );
      })}
    </List>
  );
}
