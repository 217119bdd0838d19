/** Texts that would show something else than what they are, if a terminal were given them as they stand. */
export interface HostileString {
  what: string;
  text: string;
  /** How it is to be seen, line by line. */
  shown: readonly string[];
  /** Words of the flag that it gets in a path or a command. */
  flag?: string;
}

const long = 'a'.repeat(300);

export const HOSTILE_STRINGS: readonly HostileString[] = [
  { what: 'red', text: 'a\u001b[31mb\u001b[0m', shown: ['a<U+001B>[31mb<U+001B>[0m'] },
  {
    what: 'concealed text',
    text: 'ls\u001b[8m; rm -rf x\u001b[0m',
    shown: ['ls<U+001B>[8m; rm -rf x<U+001B>[0m'],
  },
  {
    what: 'cursor up and erase',
    text: 'evil\u001b[1A\u001b[2Kgood',
    shown: ['evil<U+001B>[1A<U+001B>[2Kgood'],
  },
  { what: 'clear screen', text: '\u001b[2J\u001b[Hclean', shown: ['<U+001B>[2J<U+001B>[Hclean'] },
  { what: 'cursor position', text: '\u001b[1;1H y approved', shown: ['<U+001B>[1;1H y approved'] },
  { what: 'second screen', text: '\u001b[?1049hgone', shown: ['<U+001B>[?1049hgone'] },
  { what: 'hidden cursor', text: '\u001b[?25lx', shown: ['<U+001B>[?25lx'] },
  { what: 'terminal reset', text: '\u001bcx', shown: ['<U+001B>cx'] },
  { what: 'window title', text: '\u001b]0;safe\u0007x', shown: ['<U+001B>]0;safe<U+0007>x'] },
  {
    what: 'clipboard, OSC 52',
    text: '\u001b]52;c;cm0gLXJmIH4=\u0007x',
    shown: ['<U+001B>]52;c;cm0gLXJmIH4=<U+0007>x'],
  },
  {
    what: 'link, OSC 8',
    text: '\u001b]8;;http://evil\u001b\\good\u001b]8;;\u001b\\',
    shown: ['<U+001B>]8;;http://evil<U+001B>\\good<U+001B>]8;;<U+001B>\\'],
  },
  { what: 'device control', text: '\u001bP$q"p\u001b\\x', shown: ['<U+001B>P$q"p<U+001B>\\x'] },
  { what: 'status request', text: '\u001b[6nx', shown: ['<U+001B>[6nx'] },
  { what: '8-bit CSI', text: '\u009b31mx', shown: ['<U+009B>31mx'] },
  { what: '8-bit OSC', text: '\u009d0;t\u009cx', shown: ['<U+009D>0;t<U+009C>x'] },
  { what: 'carriage return', text: 'rm -rf x\rls       ', shown: ['rm -rf x<U+000D>ls'] },
  { what: 'backspaces', text: 'rm\b\bls', shown: ['rm<U+0008><U+0008>ls'] },
  { what: 'delete', text: 'a\u007fb', shown: ['a<U+007F>b'] },
  { what: 'bell', text: 'a\u0007b', shown: ['a<U+0007>b'] },
  { what: 'vertical tab and form feed', text: 'a\u000bb\u000cc', shown: ['a<U+000B>b<U+000C>c'] },
  { what: 'shift out', text: 'a\u000eb\u000fc', shown: ['a<U+000E>b<U+000F>c'] },
  { what: 'NEL', text: 'a\u0085b', shown: ['a<U+0085>b'] },
  { what: 'right-to-left override', text: 'gpj.\u202eexe.sh', shown: ['gpj.<U+202E>exe.sh'] },
  { what: 'isolates', text: 'if \u2066admin\u2069 {', shown: ['if <U+2066>admin<U+2069> {'] },
  { what: 'Arabic letter mark', text: 'a\u061cb', shown: ['a<U+061C>b'] },
  { what: 'zero-width space', text: 'no\u200bthing', shown: ['no<U+200B>thing'] },
  { what: 'zero-width joiner', text: 'no\u200dthing', shown: ['no<U+200D>thing'] },
  { what: 'byte order mark inside', text: 'a\ufeffb', shown: ['a<U+FEFF>b'] },
  { what: 'soft hyphen', text: 'a\u00adb', shown: ['a<U+00AD>b'] },
  { what: 'Hangul filler', text: 'const \u3164 = 1', shown: ['const <U+3164> = 1'] },
  { what: 'line separator', text: 'a\u2028b', shown: ['a<U+2028>b'] },
  { what: 'tag characters', text: 'a\u{e0065}\u{e0076}b', shown: ['a<U+E0065><U+E0076>b'] },
  { what: 'selectors that carry data', text: 'a\u{e0101}\ufe01b', shown: ['a<U+E0101><U+FE01>b'] },
  { what: 'interlinear annotation', text: 'a\ufff9b\ufffb', shown: ['a<U+FFF9>b<U+FFFB>'] },
  {
    what: 'a pile of marks',
    text: `z${'\u0335'.repeat(6)}`,
    shown: [`z${'\u0335'.repeat(4)}<U+0335><U+0335>`],
  },
  { what: 'a mark on our gutter', text: '\u0338x', shown: ['<U+0338>x'] },
  {
    what: 'Cyrillic among Latin letters',
    text: 'p\u0430ypal',
    shown: ['p\u0430ypal'],
    flag: 'U+0430 Cyrillic, among Latin letters',
  },
  {
    what: 'a word of Cyrillic twins',
    text: '\u0441\u043e\u0440\u0443',
    shown: ['\u0441\u043e\u0440\u0443'],
    flag: 'looks like Latin letters but is Cyrillic',
  },
  {
    what: 'fullwidth letters',
    text: '\uff52\uff4d x',
    shown: ['\uff52\uff4d x'],
    flag: 'U+FF52 looks like r but is not',
  },
  {
    what: 'a space that is none',
    text: 'rm\u00a0x',
    shown: ['rm\u00a0x'],
    flag: 'U+00A0 looks like a space but is not',
  },
  {
    what: 'a slash that is none',
    text: 'etc\u2215passwd',
    shown: ['etc\u2215passwd'],
    flag: 'U+2215 looks like a slash but is not',
  },
  {
    what: 'an imitation of our own lines',
    text: 'ls\n\n y approve  n skip',
    shown: ['ls', '', ' y approve  n skip'],
  },
  { what: 'a very long line', text: `${long} && rm -rf x`, shown: [`${long} && rm -rf x`] },
];
