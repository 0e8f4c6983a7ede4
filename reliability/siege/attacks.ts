import type { Attack } from './attack.ts';
import { bodiesMissing } from './attacks/bodies-missing.ts';
import { endless103 } from './attacks/endless-103.ts';
import { idleConnections } from './attacks/idle-connections.ts';
import { blankLines } from './attacks/lists/blank-lines.ts';
import { listsAbandoned } from './attacks/lists/lists-abandoned.ts';
import { malformedElements } from './attacks/lists/malformed-elements.ts';
import { malformedLines } from './attacks/lists/malformed-lines.ts';
import { revokedUploads } from './attacks/lists/revoked-uploads.ts';
import { unclosedField } from './attacks/lists/unclosed-field.ts';
import { uploadWithoutSize } from './attacks/lists/upload-without-size.ts';
import { uploadsEndless } from './attacks/lists/uploads-endless.ts';
import { oddHeads } from './attacks/odd-heads.ts';
import { oneByteChunks } from './attacks/one-byte-chunks.ts';
import { otherTargets } from './attacks/other-targets.ts';
import { overRate } from './attacks/over-rate.ts';
import { pipelinedUnread } from './attacks/pipelined-unread.ts';
import { pipelinedWithKey } from './attacks/pipelined-with-key.ts';
import { referenceFlood } from './attacks/reference-flood.ts';
import { referenceUnread } from './attacks/reference-unread.ts';
import { reportsUnread } from './attacks/reports-unread.ts';
import { sameEvent } from './attacks/same-event.ts';
import { scrapes } from './attacks/scrapes.ts';
import { slowHeads } from './attacks/slow-heads.ts';
import { statementsUnread } from './attacks/statements-unread.ts';
import { unknownKeys } from './attacks/unknown-keys.ts';
import { unknownMembers } from './attacks/unknown-members.ts';

/** Every attack, by what it takes: connections, the processor, memory, what partners share, and what began before. */
export const ATTACKS: readonly Attack[] = [
  pipelinedUnread,
  pipelinedWithKey,
  idleConnections,
  slowHeads,
  oddHeads,
  bodiesMissing,
  oneByteChunks,
  otherTargets,
  overRate,
  unknownKeys,
  sameEvent,
  unknownMembers,
  referenceFlood,
  referenceUnread,
  reportsUnread,
  statementsUnread,
  uploadsEndless,
  uploadWithoutSize,
  listsAbandoned,
  blankLines,
  malformedLines,
  malformedElements,
  unclosedField,
  revokedUploads,
  endless103,
  scrapes,
];
