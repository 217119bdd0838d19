import type { IncomingMessage } from 'node:http';
import { ExchangeError } from './exchange.js';

/**
 * The whole body, decoded. Neither what comes nor what it unfolds to may pass the limit: few bytes can unfold to endless
 * ones, and endless ones to none. Rejects with whatever went wrong.
 */
export async function readResponseBody(message: IncomingMessage, limit: number): Promise<Uint8Array> {
  try {
    const decode = decoderFor(message.headers['content-encoding']);
    const bytes = await collect(message, limit);
    return decode === undefined || bytes.length === 0 ? bytes : await unfold(bytes, decode, limit);
  } finally {
    message.destroy();
  }
}

async function collect(message: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Decode = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, decoded: Buffer) => void,
) => void;

function unfold(bytes: Buffer, decode: Decode, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    decode(bytes, { maxOutputLength: limit }, (error, decoded) => {
      if (error === null) resolve(decoded);
      else reject('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : error);
    });
  });
}

/** undefined where there is nothing to decode. */
function decoderFor(encoding: string | undefined): Decode | undefined {
  const { brotliDecompress, gunzip, inflate } = process.getBuiltinModule('node:zlib');
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return gunzip;
    case 'deflate':
      return inflate;
    case 'br':
      return brotliDecompress;
    default:
      throw new ExchangeError(`is encoded as ${JSON.stringify(encoding)}, which is not known here`);
  }
}

function tooLarge(limit: number): ExchangeError {
  const mb = 1024 * 1024;
  return new ExchangeError(`is larger than ${limit >= mb ? `${limit / mb} MB` : `${limit} bytes`}`);
}
