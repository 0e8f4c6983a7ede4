/** Writes the types of the operator API for the console: `npm run console:types`. */
import { writeFileSync } from 'node:fs';
import { CONSOLE_TYPES, renderConsoleTypes } from './render-console-types.ts';

writeFileSync(CONSOLE_TYPES, renderConsoleTypes());
