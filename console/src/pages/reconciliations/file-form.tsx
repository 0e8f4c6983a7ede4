import { Button, CopyButton, Group, List, Paper, Stack, Text } from '@mantine/core';
import { Icon } from '../../parts/icon.tsx';
import { Id } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RECONCILIATION } from './reconciliation-texts.ts';

const COLUMNS = { partner_event_id: 'columnEvent', partner_order_ref: 'columnOrder', points: 'columnPoints' } as const;
const HEADING = Object.keys(COLUMNS).join();
/** The service takes it as a list of one line. */
const EXAMPLE = `data:text/csv;charset=utf-8,${encodeURIComponent(`${HEADING}\nevent-00012345,order-12345,250\n`)}`;

/** What a list has to look like, whoever it is of: the columns with their meaning, and a file to begin from. */
export function FileForm() {
  const t = useTexts(RECONCILIATION);
  return (
    <Paper p="lg">
      <Stack gap="sm">
        <Text size="sm">{t.columns}</Text>
        <List size="sm">
          {Object.entries(COLUMNS).map(([name, meaning]) => (
            <List.Item key={name}>
              <Id id={name} /> {t[meaning]}
            </List.Item>
          ))}
        </List>
        <Text size="sm" c="dimmed">
          {t.otherForms}
        </Text>
        <Group gap="sm">
          <CopyButton value={HEADING}>
            {({ copied, copy }) => (
              <Button variant="default" leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />} onClick={copy}>
                {copied ? t.headingCopied : t.copyHeading}
              </Button>
            )}
          </CopyButton>
          <Button
            component="a"
            href={EXAMPLE}
            download="example-list.csv"
            variant="default"
            leftSection={<Icon name="download" size={16} />}
          >
            {t.exampleFile}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
