/** Programs that plans name in a verification. Those not listed can be written in `<automated>` or a code span. */
const PROGRAMS = new Set(
  `npm npx pnpm pnpx yarn bun bunx node deno tsc tsx ts-node eslint prettier biome jest vitest mocha ava playwright
  cypress git gh grep egrep fgrep rg ag ack test [ [[ bash sh zsh make cmake ctest ninja just cargo rustc rustup
  go gofmt golangci-lint python python3 pytest pip pip3 pipx uv uvx poetry tox nox ruff mypy pyright black flake8
  ruby bundle rake rspec rails php composer phpunit mvn gradle java javac kotlinc dotnet swift xcodebuild mix elixir
  curl wget ls cat cd echo printf docker docker-compose podman kubectl helm terraform tofu ansible psql mysql sqlite3
  redis-cli mongosh jq yq find head tail diff cmp wc awk gawk sed sort uniq tr cut tee xargs stat file basename
  dirname realpath readlink mkdir touch cp mv rm ln chmod env export source . timeout time sleep true false exit
  set command which type sha256sum md5sum shasum openssl tar unzip zip gzip supabase prisma drizzle-kit flutter dart
  julia Rscript perl lua hugo bats shellcheck hadolint yamllint markdownlint nginx systemctl ss nc ping`.split(
    /\s+/,
  ),
);

/** Programs that do something useful without arguments. */
const ALONE = new Set(
  'make pytest tsc jest vitest mocha ls true false ctest rake rspec tox nox just phpunit eslint'.split(' '),
);

const GO = new Set(
  'build test run vet mod fmt generate install list version tool env work get doc clean'.split(' '),
);

/** Words that sentences have and commands hardly ever, outside quotes. */
const PROSE = new Set(
  `pass passes passed succeed succeeds succeeded fail fails failed shows returns returned outputs prints exits works
  runs should must is are was were has have the an that this these it exists exist contains compiles completes reports
  displays renders responds lists gives produces yields confirms successfully correctly cleanly manually without and
  with sure still no longer green loads builds starts after before because`.split(/\s+/),
);

const OPERATORS = new Set(['&&', '||', ';', '|', '|&', '&']);
const KEYWORDS = new Set(['!', 'if', 'then', 'else', 'do', '{', '(', 'time']);

/** Whether a word can be what a command begins with. */
export function isProgram(word: string): boolean {
  if (PROGRAMS.has(word)) return true;
  return /^(?:\.{1,2}\/|~\/|\/(?:usr|bin|opt|sbin)\/|node_modules\/|bin\/|scripts?\/)[\w.@/+-]*\w$/.test(
    word,
  );
}

/** Whether one line is a command and nothing else. It says no whenever it could be a sentence. */
export function readsAsCommand(line: string): boolean {
  const words = splitWords(line);
  if (!words || words.length === 0) return false;
  let atStart = true;
  let program = '';
  let count = 0;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (OPERATORS.has(word.text)) {
      if (atStart) return false;
      if (!hasArguments(program, count)) return false;
      atStart = true;
    } else if (atStart) {
      if (KEYWORDS.has(word.text) || /^[A-Za-z_]\w*=/.test(word.text)) continue;
      program = word.text.startsWith('(') ? word.text.slice(1) : word.text;
      if (word.isQuoted || !isProgram(program) || !fits(program, words, i)) return false;
      atStart = false;
      count = 0;
    } else {
      count++;
      if (!word.isQuoted && !isSaid(program) && !isArgument(word.text, words, i, program)) return false;
    }
  }
  return !atStart && hasArguments(program, count) && endsPlainly(words.at(-1)!);
}

function isSaid(program: string): boolean {
  return program === 'echo' || program === 'printf';
}

function hasArguments(program: string, count: number): boolean {
  return (
    count > 0 || ALONE.has(program) || program.includes('/') || !PROGRAMS.has(program) || isLate(program)
  );
}

/** Programs that stand alone behind a pipe or in a chain. */
function isLate(program: string): boolean {
  return ['sort', 'uniq', 'wc', 'jq', 'exit', 'cat', 'echo', 'xargs', 'head', 'tail', 'env'].includes(
    program,
  );
}

/** Common words that are programs too must look like programs. */
function fits(program: string, words: readonly Word[], at: number): boolean {
  const next = words[at + 1];
  if (next === undefined || OPERATORS.has(next.text)) return program !== 'test' && program !== 'find';
  if (program === 'test') {
    const then = words[at + 2]?.text ?? '';
    return /^[-!$]/.test(next.text) || next.isQuoted || /^(?:=|==|!=|-[a-z]{2})$/.test(then);
  }
  if (program === 'find')
    return (
      next.isQuoted || /^[-.~/$]|\//.test(next.text) || words.some(({ text }) => /^-[a-z]{3}/.test(text))
    );
  if (program === 'go') return GO.has(next.text) || next.text.startsWith('-');
  return true;
}

function isArgument(text: string, words: readonly Word[], at: number, program: string): boolean {
  if (PROSE.has(text.toLowerCase())) return false;
  if (/^[\u2013\u2014\u2192\u21d2\u2713\u2714\u2705\u2026]|^(?:->|=>|>=|<=|\.\.\.)$/.test(text)) return false;
  // A code span, a placeholder such as `<file>`, a remark in parentheses, `exit 0` as what is hoped for.
  if (/[,:?]$/.test(text) || text.includes('`') || /[^>&\d]>$/.test(text)) return false;
  if (text === 'exit' || text.startsWith('(')) return false;
  if ((text === '=' || text === '==') && !/^(?:test|\[|\[\[)$/.test(program)) return false;
  // `grep -c x file > 0` compares in a sentence; a shell would write a file called 0.
  if ((text === '>' || text === '<') && /^\d+$/.test(words[at + 1]?.text ?? '')) return false;
  return true;
}

/** `git log shows it.`: a sentence ends in a full stop, a command hardly ever. */
function endsPlainly({ text, isQuoted }: Word): boolean {
  return isQuoted || !/[\p{L}\p{N})]\.$|[:?]$/u.test(text);
}

interface Word {
  text: string;
  /** Some of it stands in quotes. */
  isQuoted: boolean;
}

/** Words as a shell parts them, near enough; undefined where a quote does not end. */
function splitWords(line: string): Word[] | undefined {
  const words: Word[] = [];
  let from = -1;
  let isQuoted = false;
  const end = (to: number) => {
    if (from !== -1) words.push({ text: line.slice(from, to), isQuoted });
    from = -1;
    isQuoted = false;
  };
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (c === '"' || c === "'") {
      if (from === -1) from = i;
      isQuoted = true;
      const close = closingQuote(line, i);
      if (close === -1) return undefined;
      i = close;
    } else if (c === '\\') {
      if (from === -1) from = i;
      i++;
    } else if (c === ' ' || c === '\t') {
      end(i);
    } else if (c === ';' || c === '|' || (c === '&' && line[i - 1] !== '>' && line[i + 1] !== '>')) {
      end(i);
      const isDouble = line[i + 1] === c || (c === '|' && line[i + 1] === '&');
      words.push({ text: line.slice(i, isDouble ? i + 2 : i + 1), isQuoted: false });
      if (isDouble) i++;
    } else if (from === -1) {
      from = i;
    }
  }
  end(line.length);
  return words;
}

function closingQuote(line: string, at: number): number {
  for (let i = at + 1; i < line.length; i++) {
    if (line[i] === '\\' && line[at] === '"') i++;
    else if (line[i] === line[at]) return i;
  }
  return -1;
}
