/** Sends a file with its progress, which `fetch` does not tell. */
import { NoAnswerError, toAnswer, toError } from './api-error.ts';
import { ANSWER_WITHIN_MS, csrfHeader, isOfOldToken, renewRefusedToken, senderNow } from './client.ts';
import type { ServicePath } from './path-of.ts';

export interface SentFile {
  /** What is stated of the file. */
  readonly query?: Readonly<Record<string, string>>;
  readonly file: File;
  readonly contentType: string;
  /** For `Idempotency-Key`. */
  readonly key: string;
  /** @param share From 0 to 1: how much of the file has left this machine. */
  readonly onProgress: (share: number) => void;
}

/**
 * The service's answer to a file.
 *
 * @throws ApiError When it refused.
 * @throws NoAnswerError When nothing came back, or neither side has moved for as long as any answer may take, or a success came of something else.
 * @throws SessionNotReadError When it was refused for its token, and the session of now cannot be read.
 */
export async function sendFile<Value>(path: ServicePath, sent: SentFile): Promise<Value> {
  const sender = senderNow();
  try {
    return await sendOnce(path, sent);
  } catch (error) {
    if (!isOfOldToken(error)) throw error;
    if (!(await renewRefusedToken(sender))) throw toError(401, undefined);
    return sendOnce(path, sent);
  }
}

function sendOnce<Value>(path: ServicePath, { query, file, contentType, key, onProgress }: SentFile): Promise<Value> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/operator/v1/${path}${query ? `?${new URLSearchParams(query)}` : ''}`);
    const headers = { ...csrfHeader(), 'content-type': contentType, 'idempotency-key': key };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const giveTime = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), ANSWER_WITHIN_MS);
    };
    request.upload.onprogress = ({ loaded, total }) => {
      giveTime();
      onProgress(total === 0 ? 0 : loaded / total);
    };
    request.onloadend = () => clearTimeout(timer);
    request.onload = () => {
      try {
        resolve(readAnswer(request));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = () => reject(new NoAnswerError('no answer'));
    request.onabort = request.onerror;
    giveTime();
    request.send(file);
  });
}

function readAnswer<Value>({ status, responseText }: XMLHttpRequest): Value {
  const body = readJson(responseText);
  if (status < 200 || status >= 300) throw toError(status, body);
  return toAnswer(body);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
