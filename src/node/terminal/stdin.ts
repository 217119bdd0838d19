import { type BytesRead, limitBytes } from '../files.js';
import { exitOnInterrupt } from './terminal.js';

/** Everything on standard input, up to `limit` bytes. */
export async function readStdin(limit: number): Promise<BytesRead> {
  const done = exitOnInterrupt();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) break;
    }
    return limitBytes(Buffer.concat(chunks), limit);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : error;
    return { status: 'refused', reason: why === 'EISDIR' ? 'is a folder' : `cannot be read (${why})` };
  } finally {
    done();
  }
}
