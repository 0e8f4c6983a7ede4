/** Malformed HTTP, byte by byte: what no client library would send. Slow requests are not here; each of these is sent at once. */
import { addChunks, addCutOffs, addLengths, addPipelines, addSmuggling, addTransferCodings } from './raw-bodies.ts';
import { Corpus, type CorpusOptions, type RawCase } from './raw-case.ts';
import {
  addExpectations,
  addForeignProtocols,
  addHeaderForms,
  addHeaderSizes,
  addHosts,
  addHttp10,
  addMethods,
  addRequestLines,
} from './raw-heads.ts';

/** At least 200 cases, each under a name that says what is wrong with it. */
export function rawCorpus(options: CorpusOptions): RawCase[] {
  const corpus = new Corpus(options);
  addRequestLines(corpus);
  addForeignProtocols(corpus);
  addHeaderForms(corpus);
  addHeaderSizes(corpus);
  addHosts(corpus);
  addLengths(corpus);
  addTransferCodings(corpus);
  addSmuggling(corpus);
  addChunks(corpus);
  addPipelines(corpus);
  addCutOffs(corpus);
  addMethods(corpus);
  addExpectations(corpus);
  addHttp10(corpus);
  return corpus.cases;
}
