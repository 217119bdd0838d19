export interface DecodedPage {
  text: string;
  /** Sentences on what did not go well. */
  notes: string[];
}

const SNIFFED_BYTES = 2048;

/** Bytes to text, as the byte order mark, the server or the page itself says, in this order; else as UTF-8. */
export function decodePage(bytes: Uint8Array, charset: string | undefined): DecodedPage {
  const named = markedCharset(bytes) ?? charset ?? declaredCharset(bytes) ?? 'utf-8';
  const known = findDecoder(named);
  const text = (known ?? new TextDecoder()).decode(bytes);
  const notes = [
    ...(known
      ? []
      : [`Its character set ${JSON.stringify(named.slice(0, 50))} is not known here; it was read as UTF-8.`]),
    ...(text.includes('\ufffd') ? ['Some of it could not be decoded: \ufffd stands for that.'] : []),
  ];
  return { text, notes };
}

function findDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** `<meta charset=…>`, `<meta … content="…; charset=…">`, `<?xml … encoding=…?>` */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFFED_BYTES));
  const declaration =
    /<\?xml[^>]{0,200}>/i.exec(start)?.[0] ?? /<meta[^>]{0,200}charset[^>]{0,200}>/i.exec(start)?.[0];
  return /(?:charset|encoding)\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(declaration ?? '')?.[1];
}
