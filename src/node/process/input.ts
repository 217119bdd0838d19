import type { Readable } from 'node:stream';

/** Standard input, written while the program runs. */
export interface ProcessInput {
  stream: Readable;
  /** The number of bytes that the program has not read yet. */
  readonly waiting: number;
  write(text: string): void;
  /** The program reads its end. */
  end(): void;
}

export function openInput(): ProcessInput {
  const { PassThrough } = process.getBuiltinModule('node:stream');
  const stream = new PassThrough();
  return {
    stream,
    get waiting() {
      return stream.readableLength + stream.writableLength;
    },
    write: (text) => void (stream.writableEnded || stream.write(text)),
    end: () => void stream.end(),
  };
}
