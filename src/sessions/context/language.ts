/** Where the name behind the last dot is not what readers of Markdown know. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  bash: 'bash',
  cjs: 'js',
  cs: 'csharp',
  cts: 'ts',
  h: 'c',
  hpp: 'cpp',
  htm: 'html',
  jsonl: 'json',
  kt: 'kotlin',
  lock: '',
  log: '',
  md: 'markdown',
  mjs: 'js',
  mts: 'ts',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  svg: 'xml',
  tf: 'hcl',
  txt: 'text',
  yml: 'yaml',
  zsh: 'bash',
};

const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: 'dockerfile',
  makefile: 'makefile',
};

/** What stands behind the opening fence of a file's text; empty where its name does not say. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return own(BY_NAME, name) ?? '';
  const extension = name.slice(dot + 1);
  return own(BY_EXTENSION, extension) ?? (/^[a-z][a-z0-9+]{0,11}$/.test(extension) ? extension : '');
}

function own(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
