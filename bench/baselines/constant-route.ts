/**
 * The route that does nothing: what Fastify and Node cost by themselves, on the same paths, with the same bodies read by
 * Fastify's own JSON parser (faster than ours) and answers of the same size. A program of its own:
 *
 *     node bench/baselines/constant-route.ts '{"port":…,"processes":…,"answers":{"confirm":"…","lookup":"…","estimate":"…"}}'
 *
 * Fastify's hooks, validation and serialisation are left out on purpose: they are what the service has to answer for.
 */
import cluster from 'node:cluster';
import Fastify, { type FastifyReply } from 'fastify';

export interface ConstantRouteSettings {
  readonly port: number;
  readonly processes: number;
  readonly answers: { readonly confirm: string; readonly lookup: string; readonly estimate: string };
}

if (import.meta.main) await serve(JSON.parse(process.argv[2] ?? '{}'));

async function serve(settings: ConstantRouteSettings): Promise<void> {
  const { processes, port, answers } = settings;
  if (cluster.isPrimary && processes > 1) {
    for (let made = 0; made < processes; made++) cluster.fork();
    return;
  }
  const app = Fastify({ logger: false, bodyLimit: 65_536, requestTimeout: 15_000, keepAliveTimeout: 72_000 });
  const always = (status: number, body: string) => async (_request: unknown, reply: FastifyReply) =>
    reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
  app.post('/v1/impact-transactions', always(201, answers.confirm));
  app.post('/v1/emissions/estimates', always(201, answers.estimate));
  app.get('/v1/impact-transactions', always(200, answers.lookup));
  app.get('/v1/impact-transactions/:transaction_id', always(200, answers.lookup));
  await app.listen({ host: '127.0.0.1', port });
}
