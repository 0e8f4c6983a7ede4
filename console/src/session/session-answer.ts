import type { components } from '../api/operator-types.ts';

export type SessionAnswer = components['schemas']['Session'];
