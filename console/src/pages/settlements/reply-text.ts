/** What an operator writes to a partner who disputes a settlement: only what is recorded. */
import { withoutHidden } from '../../format/as-meant.ts';
import { isolate, isolateForeign, isRightToLeft } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { formatMoney, formatWhole } from '../../format/points.ts';
import { formatTime } from '../../format/time.ts';
import type { Language } from '../../texts/text.ts';
import { type DifferingLines, describeLines, describeRest } from './reply-lines.ts';

export interface ReplyFacts {
  readonly settlementId: string;
  readonly periodLabel: string;
  readonly zone: string;
  readonly currency: string | null;
  readonly disputedAt: string | null;
  readonly note: string | null;
  /** The result of the last list that was compared to its end. */
  readonly compared?: Compared | undefined;
  /** The differing lines of that list. */
  readonly differing?: DifferingLines | undefined;
  /** What was posted after the dispute. */
  readonly posted: readonly PostedCorrection[];
}

interface Compared {
  /** The number of lines of the list: those that match the settlement, and those that differ. */
  readonly lines: string;
  /** Whether a heading row is line 1 of the file. */
  readonly hasHeading: boolean;
  /** How many differences there are in all: a line that could not be read and a contribution that the list lacks may be one. */
  readonly found: number;
  readonly matched: number;
  /** Lines that were read and differ. */
  readonly differences: number;
  readonly unreadable: number;
  /** Contributions of the settlement that the list lacks. */
  readonly notListed: number;
}

export interface PostedCorrection {
  readonly partner_order_ref: string;
  readonly partner_event_id: string;
  readonly points_delta: string;
  readonly amount_delta: string | null;
  readonly reason_en: string;
  readonly reason_ar: string;
}

/** The service records this many characters of an answer at most, counted after {@link asRecorded}. */
export const REPLY_CHARACTERS_MAX = 5_000;
/** For what the person adds to the text. */
const ADDED_CHARACTERS = 500;

/** An answer as the service takes it. */
export function asRecorded(text: string): string {
  return withoutHidden(text).trim();
}

/** The characters of an answer as the service takes it, counted like there: one of two UTF-16 units is one. */
export function countRecorded(text: string): number {
  return [...asRecorded(text)].length;
}

/** How many differing lines and how many corrections stand in a text, of all that there are. */
interface Named {
  readonly lines: number;
  readonly corrections: number;
}

/** A whole message, in plain text: it names as much as can be recorded, and says how many more there are. */
export function composeReply(language: Language, facts: ReplyFacts): string {
  const all: Named = { lines: facts.differing?.lines.length ?? 0, corrections: facts.posted.length };
  const textOf = (named: Named) => composeNaming(language, facts, named);
  const fits = (named: Named) => countRecorded(textOf(named)) <= REPLY_CHARACTERS_MAX - ADDED_CHARACTERS;
  let named: Named = { lines: 0, corrections: 0 };
  // One of each in turn, so that neither takes the room of the other.
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false;
    for (const kind of ['corrections', 'lines'] as const) {
      const next = { ...named, [kind]: named[kind] + 1 };
      if (next[kind] > all[kind] || !fits(next)) continue;
      named = next;
      hasGrown = true;
    }
  }
  return textOf(named);
}

function composeNaming(language: Language, facts: ReplyFacts, named: Named): string {
  const write = language === 'en' ? ENGLISH : ARABIC;
  const { settlementId, periodLabel, disputedAt, note, compared, differing, posted, zone, currency } = facts;
  const corrections = posted.slice(0, named.corrections).map((each) => write.correction(each, currency));
  const rest = posted.length - corrections.length;
  const on = disputedAt === null ? '' : formatTime(disputedAt, { language, zone, style: 'day' });
  const parts = [
    write.head(periodLabel, settlementId),
    write.disputed(on, note),
    compared && write.compared(compared),
    differing && describeLines(language, { ...differing, lines: differing.lines.slice(0, named.lines) }),
    posted.length === 0
      ? write.nothing
      : [write.corrections, ...corrections, ...(rest > 0 ? [describeRest(language, rest)] : [])].join('\n'),
    write.unchanged,
    // On lines of their own, without the signs of a direction: a partner copies them.
    `${write.accept}\nPOST /v1/settlements/${settlementId}/acknowledgement\n{"status": "accepted"}`,
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

/** What was added or taken away: money, or else points, without its sign. */
interface Change {
  readonly isLess: boolean;
  readonly points?: string;
  readonly money?: string;
}

function changeOf({ points_delta, amount_delta }: PostedCorrection, currency: string | null): Change {
  const delta = amount_delta ?? points_delta;
  const isLess = delta.startsWith('-');
  const size = isLess ? delta.slice(1) : delta;
  return amount_delta === null ? { isLess, points: size } : { isLess, money: formatMoney(size, currency) };
}

interface Wording {
  head(label: string, id: string): string;
  disputed(on: string, note: string | null): string;
  compared(list: Compared): string;
  readonly corrections: string;
  correction(correction: PostedCorrection, currency: string | null): string;
  readonly nothing: string;
  readonly unchanged: string;
  readonly accept: string;
}

const ENGLISH: Wording = {
  head: (label, id) => `Settlement ${label} (${id})`,
  disputed: (on, note) =>
    `You disputed this settlement on ${on}${note === null ? '.' : `: “${isRightToLeft(note) ? isolateForeign(note) : note}”`}`,
  compared({ lines, hasHeading, found: all, matched, differences, unreadable, notListed }) {
    const found = all === 0 ? 'no difference' : countEnglish(all, 'difference');
    const mayBeRead = unreadable > 0 && notListed > 0 ? ', which may be on the lines that could not be read' : '';
    const lacks = `your list lacks ${countEnglish(notListed, 'contribution')} of the settlement${mayBeRead}`;
    const [same, different, broken] = [matched, differences, unreadable].map((count) => formatWhole(String(count)));
    return `We compared your list with it line by line and found ${found}. Of ${countEnglish(lines, 'line')}${hasHeading ? ' below the heading row' : ''}, ${same} matched, ${different} differed and ${broken} could not be read; ${lacks}.`;
  },
  corrections: 'We corrected what is settled:',
  correction(correction, currency) {
    const { isLess, points = '0', money = countEnglish(points, 'point') } = changeOf(correction, currency);
    const { partner_order_ref: order, partner_event_id: event, reason_en } = correction;
    return `- Order ${order}, event ${event}: ${money} ${isLess ? 'taken away' : 'added'}. ${reason_en}`;
  },
  nothing: 'No correction has been posted since your dispute.',
  unchanged:
    'The closed settlement itself does not change. Corrections are lines of the settlement of the period in which they were posted.',
  accept: 'To accept the settlement, send:',
};

/** As they stand after «إضافة» and «خصم». */
const POINTS = ['نقطة واحدة', 'نقطتين', 'نقاط', 'نقطة', 'نقطة'] as const;

const ARABIC: Wording = {
  head: (label, id) => `التسوية ${isolate(label)} (${isolate(id)})`,
  disputed: (on, note) => `اعترضتم على هذه التسوية بتاريخ ${on}${note === null ? '.' : `: «${isolateForeign(note)}»`}`,
  compared({ lines, hasHeading, found, matched, differences, unreadable, notListed }) {
    const counts = [found, lines, matched, differences, unreadable, notListed];
    const mayBeRead = unreadable > 0 && notListed > 0 ? '، وقد تكون في السطور التي تعذّرت قراءتها' : '';
    const [all, listed, same, different, broken, lacking] = counts.map((count) => formatWhole(String(count)));
    return `قارنّا قائمتكم بها سطرًا سطرًا. عدد الفروق: ${all}. السطور${hasHeading ? ' بعد صف العناوين' : ''}: ${listed}، والمتطابقة: ${same}، والمختلفة: ${different}، وما تعذّرت قراءته: ${broken}. مساهمات التسوية غير الواردة في قائمتكم: ${lacking}${mayBeRead}.`;
  },
  corrections: 'صحّحنا ما تمت تسويته كما يلي:',
  correction(correction, currency) {
    const { isLess, points = '0', money } = changeOf(correction, currency);
    const size = money === undefined ? countArabic(points, POINTS) : isolate(money);
    const { partner_order_ref: order, partner_event_id: event, reason_ar } = correction;
    return `- الطلب ${isolate(order)}، الحدث ${isolate(event)}: ${isLess ? 'خصم' : 'إضافة'} ${size}. ${reason_ar}`;
  },
  nothing: 'لم يُرحَّل أي تصحيح بعد اعتراضكم.',
  unchanged: 'لا تتغيّر التسوية المُقفلة نفسها. تظهر التصحيحات سطورًا في تسوية الفترة التي رُحِّلت فيها.',
  accept: 'لقبول التسوية أرسلوا:',
};
