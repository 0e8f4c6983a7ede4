/** What can be wrong before the body: request lines, other protocols, header fields, methods, expectations. */
import { asChunk } from './raw-bodies.ts';
import { CONFIRM, type Corpus, name } from './raw-case.ts';

const REQUEST_LINES = [
  '',
  ' ',
  'GET',
  'GET ',
  'GET /',
  'GET /v1',
  'GET / HTTP',
  'GET / HTTP/',
  'GET / HTTP/1',
  'GET / HTTP/1.',
  'GET / HTTP/.1',

  'GET / HTTP/1.1.1',
  'GET / HTTP/01.1',
  'GET / HTTP/1.2',
  'GET / HTTP/0.9',
  'GET / HTTP/2.0',
  'GET / HTTP/9.9',
  'GET / http/1.1',

  'GET / HTTP /1.1',
  'GET / HTTP/1.1 extra',
  'GET  / HTTP/1.1',
  'GET /  HTTP/1.1',
  'GET\t/\tHTTP/1.1',
  ' GET / HTTP/1.1',

  'get / HTTP/1.1',
  'Get / HTTP/1.1',
  'G\0ET / HTTP/1.1',
  'GE T / HTTP/1.1',
  'GET / x HTTP/1.1',
  'GET /\0 HTTP/1.1',
  'GET /\x01 HTTP/1.1',

  'GET /\x7f HTTP/1.1',
  'GET /\xff HTTP/1.1',
  'GET /é HTTP/1.1',
  'GET \\ HTTP/1.1',
  'GET v1 HTTP/1.1',
  'GET ?x HTTP/1.1',
  'GET # HTTP/1.1',

  'GET http:// HTTP/1.1',
  'GET http:/// HTTP/1.1',
  'GET ://x/ HTTP/1.1',
  'GET ftp://x/ HTTP/1.1',
  'GET x:80 HTTP/1.1',
  'GET // HTTP/1.1',

  'GET http://[::1 HTTP/1.1',
  'GET http://x:99999/ HTTP/1.1',
  'GET * HTTP/1.1',
  'POST * HTTP/1.1',
  ': / HTTP/1.1',
  '/ GET HTTP/1.1',

  `${'A'.repeat(100)} / HTTP/1.1`,
  `${'A'.repeat(20_000)} / HTTP/1.1`,
  `GET /${'a'.repeat(20_000)} HTTP/1.1`,
  'HTTP/1.1 200 OK',
  'GET / HTTP/1.1\n',
];

export function addRequestLines(corpus: Corpus): void {
  for (const line of REQUEST_LINES) corpus.add(`request line ${name(line)}`, `${line}\r\nHost: x\r\n\r\n`, { isCutOff: true });
  corpus.add('only line feeds', `GET /v1 HTTP/1.1\nHost: x\n\n`, { isCutOff: true });
  corpus.add('only carriage returns', `GET /v1 HTTP/1.1\rHost: x\r\r`, { isCutOff: true });
  corpus.add('blank lines first', `\r\n\r\n\r\n${corpus.lookup}`);
  corpus.add('a thousand blank lines first', `${'\r\n'.repeat(1_000)}${corpus.lookup}`);
  corpus.add('nothing at all', '', { isCutOff: true });
  corpus.add('one byte', 'G', { isCutOff: true });
}

export function addForeignProtocols(corpus: Corpus): void {
  const greetings: Record<string, string | Buffer> = {
    'TLS client hello': Buffer.from('16030100c8010000c403037d1f0000000000000000000000000000', 'hex'),
    'SSH banner': 'SSH-2.0-OpenSSH_9.2\r\n',
    'HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'proxy protocol 1': `PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n${corpus.lookup}`,
    'proxy protocol 2': Buffer.from('0d0a0d0a000d0a515549540a21110000', 'hex'),
    SMTP: 'EHLO x\r\n',
    RTSP: 'OPTIONS rtsp://x/ RTSP/1.0\r\nCSeq: 1\r\n\r\n',
    SIP: 'INVITE sip:x SIP/2.0\r\n\r\n',
    ICE: 'GET / ICE/1.0\r\n\r\n',
    PostgreSQL: Buffer.from('0000000804d2162f', 'hex'),
    Redis: '*1\r\n$4\r\nPING\r\n',
    'binary noise': Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 197 + 31) % 256)),
    'only zeros': Buffer.alloc(64),
    'JSON without HTTP': '{"partner_event_id":"raw-without-http"}\r\n\r\n',
  };
  for (const [what, bytes] of Object.entries(greetings)) corpus.add(`protocol ${what}`, bytes, { isCutOff: true });
}

/** What may not stand in a field's name or value, and folded lines. */
export function addHeaderForms(corpus: Corpus): void {
  for (const bad of [...'()<>@,;\\"/[]?={} ', '\t', '\0', '\x7f', '\xe9'])
    corpus.addConfirmation(`name with ${name(bad)}`, `X${bad}Y: 1\r\nContent-Length: LENGTH\r\n`);
  for (const bad of ['\0', '\x01', '\b', '\v', '\f', '\x1b', '\x1f', '\x7f', '\r', '\n']) {
    corpus.addConfirmation(`value with ${name(bad)}`, `X-Note: a${bad}b\r\nContent-Length: LENGTH\r\n`);
  }
  corpus.addConfirmation('value with bytes above 127', 'X-Note: \xe9\xff\x80\r\nContent-Length: LENGTH\r\n', {
    mayStore: true,
    isCutOff: false,
  });
  const lines = [
    'no colon here',
    ': no name',
    ':',
    ' : blank name',
    'X-Note : blank before the colon',
    '\tX-Note: tab first',
    '=: x',
    'X-Note\0: 1',
  ];
  for (const line of lines) corpus.addConfirmation(`line ${name(line)}`, `${line}\r\nContent-Length: LENGTH\r\n`);
  corpus.addConfirmation('folded line', 'X-Note: a\r\n b\r\nContent-Length: LENGTH\r\n');
  corpus.addConfirmation('folded length', 'Content-Length:\r\n LENGTH\r\n');
  corpus.addConfirmation('folded coding', 'Transfer-Encoding:\r\n chunked\r\n', { payload: asChunk });
  corpus.addConfirmation('line feed within headers', 'X-Note: a\nX-Other: b\r\nContent-Length: LENGTH\r\n');
  corpus.addConfirmation('empty value', 'X-Note:\r\nContent-Length: LENGTH\r\n', { mayStore: true, isCutOff: false });
  corpus.addConfirmation('two keys of idempotency', 'Idempotency-Key: another-key-1\r\nContent-Length: LENGTH\r\n', {
    isCutOff: false,
  });
  corpus.addConfirmation('two media types', 'Content-Type: text/plain\r\nContent-Length: LENGTH\r\n', {
    isCutOff: false,
    mayStore: true,
  });
}

export function addHeaderSizes(corpus: Corpus): void {
  const sizes = { 'just below the limit': 15_000, 'above the limit': 17_000, 'far above the limit': 100_000 };
  for (const [what, size] of Object.entries(sizes)) {
    const isFine = size < 16_000;
    corpus.addConfirmation(`one header ${what}`, `X-Note: ${'a'.repeat(size)}\r\nContent-Length: LENGTH\r\n`, {
      mayStore: isFine,
      isCutOff: false,
    });
    corpus.add(`target ${what}`, `GET /${'a'.repeat(size)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  }
  corpus.addConfirmation('two thousand headers', `${'X-Note: a\r\n'.repeat(2_000)}Content-Length: LENGTH\r\n`, {
    isCutOff: false,
  });
  corpus.addConfirmation('a hundred headers', `${'X-Note: a\r\n'.repeat(100)}Content-Length: LENGTH\r\n`, {
    mayStore: true,
    isCutOff: false,
  });
  corpus.add('a name without an end', `GET / HTTP/1.1\r\n${'A'.repeat(40_000)}`, { isCutOff: true });
}

export function addHosts(corpus: Corpus): void {
  const plain = corpus.lookup.replace('Host: x\r\n', '');
  corpus.add('no Host', plain);
  for (const host of ['', ' ', 'a b', 'x:y', 'x:99999', '[::1', 'user@x', 'x,y', '\xe9', '/', '..', 'a'.repeat(5_000)]) {
    corpus.add(`Host ${name(host)}`, corpus.lookup.replace('Host: x', `Host: ${host}`));
  }
  corpus.add('two Hosts', corpus.lookup.replace('Host: x', 'Host: x\r\nHost: y'));
  corpus.add('two equal Hosts', corpus.lookup.replace('Host: x', 'Host: x\r\nHost: x'));
}

export function addMethods(corpus: Corpus): void {
  for (const target of ['x:443', 'x', '/v1', '127.0.0.1:22', '*', 'http://x/']) {
    corpus.add(`CONNECT ${target}`, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
  }
  for (const line of [
    'TRACE / HTTP/1.1',
    `TRACE ${CONFIRM} HTTP/1.1`,
    'OPTIONS * HTTP/1.1',
    `OPTIONS ${CONFIRM} HTTP/1.1`,
    'OPTIONS http://x/ HTTP/1.1',
  ]) {
    corpus.add(line, `${line}\r\nHost: x\r\nX-Correlation-ID: raw-correlation-1\r\n\r\n`);
  }
  for (const method of ['M-SEARCH', 'PURGE', 'SOURCE', 'BIND', 'ACL', 'MKCOL', 'SUBSCRIBE', 'LINK', 'UNKNOWN', 'GETS', 'POS']) {
    corpus.add(`method ${method}`, `${method} ${CONFIRM} HTTP/1.1\r\nHost: x\r\n\r\n`, { isCutOff: true });
  }
  for (const upgrade of ['websocket', 'h2c', 'TLS/1.0', 'x']) {
    const lines = `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`;
    corpus.add(`upgrade of a look-up to ${upgrade}`, corpus.lookup.replace('Host: x\r\n', `Host: x\r\n${lines}`));
    corpus.addConfirmation(`upgrade of a confirmation to ${upgrade}`, `${lines}Content-Length: LENGTH\r\n`, {
      mayStore: true,
      isCutOff: false,
    });
  }
}

export function addExpectations(corpus: Corpus): void {
  for (const value of ['100-continue', '100-Continue', '100-CONTINUE']) {
    corpus.addConfirmation(`Expect ${value}`, `Expect: ${value}\r\nContent-Length: LENGTH\r\n`, {
      mayStore: true,
      isCutOff: false,
    });
  }
  for (const value of ['x', '', '100-continue, x', '200-ok', '100', 'x=y']) {
    corpus.addConfirmation(`Expect ${name(value)}`, `Expect: ${value}\r\nContent-Length: LENGTH\r\n`, {
      isCutOff: false,
      mayStore: value === '' || value.startsWith('100-continue'),
    });
  }
  corpus.add('Expect without a body', corpus.lookup.replace('Host: x\r\n', 'Host: x\r\nExpect: 100-continue\r\n'));
  corpus.add('Expect, then garbage', `${corpus.lookup.replace('Host: x\r\n', 'Host: x\r\nExpect: y\r\n')}garbage\r\n\r\n`);
}

export function addHttp10(corpus: Corpus): void {
  const old = (text: string) => text.replace('HTTP/1.1', 'HTTP/1.0');
  corpus.add('HTTP/1.0 look-up', old(corpus.lookup));
  corpus.add('HTTP/1.0 look-up without Host', old(corpus.lookup.replace('Host: x\r\n', '')));
  corpus.add('HTTP/1.0 look-up kept alive', old(corpus.lookup.replace('Host: x', 'Host: x\r\nConnection: keep-alive')));
  const event = corpus.newEvent();
  corpus.add('HTTP/1.0 confirmation', old(corpus.confirmation(event)), { events: [event], storable: [event] });
  const other = corpus.newEvent();
  const chunked = `POST ${CONFIRM} HTTP/1.0\r\n${corpus.headers(other)}Transfer-Encoding: chunked\r\n\r\n${asChunk(corpus.body(other))}`;
  corpus.add('HTTP/1.0 confirmation in chunks', chunked, { isCutOff: true, events: [other], storable: [other] });
  const expecting = corpus.newEvent();
  const text = old(corpus.confirmation(expecting)).replace('Host: x', 'Host: x\r\nExpect: 100-continue');
  corpus.add('HTTP/1.0 with Expect', text, { events: [expecting], storable: [expecting] });
}
