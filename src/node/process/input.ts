import type { Readable } from 'node:stream';

/** Standard input that is written while the program runs. */
export interface ProcessInput {
  stream: Readable;
  /** How many bytes the program has not taken yet. */
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
