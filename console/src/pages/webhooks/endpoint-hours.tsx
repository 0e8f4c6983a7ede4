/** What became of the events of each hour of a day, as a small picture. */
import { Group, Paper, Stack, Text } from '@mantine/core';
import { formatHour, thereOf } from '../../format/time.ts';
import { Figures } from '../../parts/charts/figures.tsx';
import { hint } from '../../parts/hint.tsx';
import { Records } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Points } from '../../parts/values.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import type { EndpointActivity } from './use-endpoint-activity.ts';
import { WEBHOOK } from './webhook-texts.ts';

type Hour = EndpointActivity['hours'][number];

/** From below. */
const OUTCOMES = ['at_once', 'later', 'unended', 'exhausted'] as const;
type Outcome = (typeof OUTCOMES)[number];

interface EndpointHoursProps {
  readonly hours: readonly Hour[];
  readonly zone: string;
}

export function EndpointHours({ hours, zone }: EndpointHoursProps) {
  const t = useTexts(WEBHOOK);
  const { language } = useLanguage();
  const named: Readonly<Record<Outcome, string>> = {
    at_once: t.atOnce,
    later: t.later,
    unended: t.unended,
    exhausted: t.spent,
  };
  const highest = Math.max(1, ...hours.map(sumOf));
  const shown = OUTCOMES.map((outcome) => ({ outcome, sum: hours.reduce((sum, hour) => sum + hour[outcome], 0) }));
  const say = (figures: readonly { readonly outcome: Outcome; readonly sum: number }[]) =>
    figures
      .filter(({ sum }) => sum > 0)
      .map(({ outcome, sum }) => `${named[outcome]}: ${sum}`)
      .join(' · ') || t.noEvent;
  const nameOf = ({ from }: Hour) => formatHour(from, zone) + thereOf(zone, language);
  const isMore = hours.some(({ is_more }) => is_more);
  return (
    <Section title={t.lastDay}>
      <Paper p="md">
        <Stack gap="xs">
          <div role="img" aria-label={`${t.lastDay}: ${say(shown)}`} className="hours-chart">
            {hours.map((hour) => (
              <div
                key={hour.from}
                className="hours-chart-hour"
                {...hint(`${nameOf(hour)} · ${say(OUTCOMES.map((outcome) => ({ outcome, sum: hour[outcome] })))}`)}
              >
                {OUTCOMES.filter((outcome) => hour[outcome] > 0).map((outcome) => (
                  <div key={outcome} data-outcome={outcome} style={{ height: `${(100 * hour[outcome]) / highest}%` }} />
                ))}
              </div>
            ))}
          </div>
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              {t.dayAgo}
            </Text>
            <Text size="xs" c="dimmed">
              {t.now}
            </Text>
          </Group>
          <Group gap="md">
            {shown
              .filter(({ sum }) => sum > 0)
              .map(({ outcome, sum }) => (
                <Group key={outcome} gap={6}>
                  <span className="hours-chart-key" data-outcome={outcome} />
                  <Text size="sm">
                    {named[outcome]}: <bdi className="figure">{sum}</bdi>
                  </Text>
                </Group>
              ))}
            {shown.every(({ sum }) => sum === 0) && (
              <Text size="sm" c="dimmed">
                {t.noEvent}
              </Text>
            )}
          </Group>
          <Figures title={t.eventsOfHours}>
            <Records
              label={t.eventsOfHours}
              rows={hours}
              keyOf={({ from }) => from}
              empty={null}
              columns={[
                { label: t.hour, show: nameOf },
                ...OUTCOMES.map((outcome) => ({
                  label: named[outcome],
                  isFigure: true,
                  show: (hour: Hour) => <Points value={String(hour[outcome])} />,
                })),
              ]}
            />
          </Figures>
          {isMore && (
            <Text size="sm" c="dimmed">
              {t.firstOfHour}
            </Text>
          )}
        </Stack>
      </Paper>
    </Section>
  );
}

function sumOf(hour: Hour): number {
  return OUTCOMES.reduce((sum, outcome) => sum + hour[outcome], 0);
}
