/** The part of autocannon that the bench uses; the package brings no types. */
declare module 'autocannon' {
  export interface Request {
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string | undefined;
  }

  export interface Options {
    url: string;
    connections: number;
    duration: number;
    timeout: number;
    overallRate?: number;
    requests: { setupRequest(request: Request): Request }[];
  }

  export interface Result {
    duration: number;
    errors: number;
    statusCodeStats: Record<string, { count: number }>;
    latency: { p50: number; p90: number; p99: number; max: number };
  }

  export interface Instance extends Promise<Result> {
    stop(): void;
  }

  // biome-ignore lint/style/noDefaultExport: it is the package that exports so
  export default function autocannon(options: Options): Instance;
}
