import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';

// Text without code marks: commands, and sentences that begin with the same words. Prose is never run.
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const verify = (text: string) =>
  parseTaskPlan(`<task>\n<verify>${escaped(text)}</verify>\n</task>\n`).tasks[0]!.verify;
const linesOf = (text: string) => text.trim().split('\n');

const COMMANDS = `
true
make
pytest
ls
npm test
npm ci
npm run build
npm run db:migrate
npm test -- auth
npm --prefix app test
npm run lint && npm test
yarn build
yarn test --ci
pnpm -r test
pnpm run check
bun test
deno test --allow-read
go test
go test ./...
go vet ./...
go build -o bin/app .
go mod verify
make build
make lint test
make -C app check
make test-unit
make all && go test ./...
node --test
node --check src/a.js
node dist/cli.js --version
node src/check.js && test -f config.json
node tools/scan.mjs < input.txt
test -f x
test -f x && test -d dist
test "$(cat VERSION)" = 1.2.0
test $(wc -l < out.txt) -gt 3
[ -f x ]
[ -f x ] && [ -s y ]
[[ -f x ]]
[ "$A" = b ]
git status
git diff --exit-code
git diff --stat HEAD~1
git log -1
git status --porcelain | wc -l
git -C app status
cargo test
cargo clippy -- -D warnings
cargo fmt --check
docker compose up -d
docker compose ps
docker ps
gradle test
./gradlew test
dotnet test
mix test
terraform validate
kubectl get pods
pip check
python -m pytest
python3 scripts/check.py
python manage.py test
ruby -c app.rb
ruby script/check.rb
ruff check .
ruff check src
mypy src
eslint src
npx tsc
npx vitest run
npx playwright test
npx prisma validate
uv run pytest
poetry run pytest -q
bundle exec rspec
timeout 60 npm test
CI=1 make test
export CI=1 && npm test
set -e; npm test
source .venv/bin/activate && pytest
rm -rf dist
rm -rf dist && npm run build
cp -r src dist
mv -f old.txt new.txt
diff expected.txt actual.txt
[ -f x -a -f y ]
node -v
python --version
wc -l src/a.ts
diff -u expected.txt actual.txt
sort -c names.txt
sort names.txt | uniq -d
tail -5 out.log
tail -n 5 build.log
head -20 CHANGELOG.md | grep silent
cat package.json
cat package.json | jq .version
find . -name "*.ts"
find src -name "*.ts" | wc -l
find src -type f
npm test || exit 1
npm test && echo ok
npm test && echo all is well
jq -e .ok out.json
jq . package.json
curl -sf http://localhost:3000/health
curl localhost:3000
curl -s localhost/health | jq
curl -s localhost | grep ok
cat out.txt | grep -c ok
echo 123 | node tools/scan.mjs
npm ls | grep -v valid
printf '1\\n2\\n' | sort -n
grep -q silent src/flags.ts
grep -c "x y" out.txt
grep TODO src/
! grep -rq TODO src
ls dist
ls dist/*.js
cd app && npm test
wc -l out.txt
sed -n 1,5p out.txt
awk '{print $1}' out.txt
psql -c "select 1"
sqlite3 app.db "select 1"
bash scripts/check.sh
bash -n scripts/check.sh
sh -c 'exit 0'
./scripts/check.sh
scripts/check.sh --all
! grep foo x
! grep -q TODO src/a.ts && npm test
! test -e x
npm ci && ! grep foo x
[[ -f x ]] || exit 1
[[ "$(cat VERSION)" == 1.2.0 ]]
tests/run.sh
tests/run.sh --all
ci/lint.sh && tests/run.sh
tools/verify
./x
./x --all
bin/check
test -e ready
out=$(node src/x.js); test "$out" = 3
test -n "$(git log --format=%s -1)"
`;

/** A shell would run these, but the short rule does not know them: their hint says how to write them. */
const UNKNOWN = `
npm start
node src/x.js list
node src/todo.mjs add "a task"
python3 manage.py migrate
npm publish --dry-run
mvn clean verify
php artisan test
black --check .
time npm test
env CI=1 npm test
set -euo pipefail
file dist/app.bin
touch dist/.keep
cut -d, -f1 out.csv
diff -r dist expected
make clean
npm run clean
make -C app clean
stat -c %s out.bin
sleep 5
sleep 2 && curl -f localhost:3000
env | grep CI
echo "$PATH"
date -u
(cd app && npm test)
which node
command -v node
systemctl status nginx
! diff x y
! cat x | grep foo
if test -e x; then npm test; fi
if test -e x; then npm test; else exit 1; fi
if test -e x; then a; elif test -e y; then b; else c; fi
if ! frobnicate --all; then echo it is not there; exit 1; fi
if [ -f x ]; then (cd app && npm test); fi
if [[ -f x && -f y ]]; then npm test; fi
for f in a b; do test -e "$f"; done
for f in *.js; do node --check $f || exit 1; done
for f in $(ls src); do for g in a b; do test -e $f/$g; done; done
for ((i = 0; i < 3; i++)); do npm test; done
for f in a b; do test -e $f; done && npm test
while read -r name; do test -e "$name"; done < names.txt
while ! curl -sf localhost:3000; do sleep 1; done
until test -e ready; do sleep 1; done; npm test
while (( n < 3 )); do n=$((n + 1)); done
case "$(uname)" in Linux) npm test;; *) exit 1;; esac
case $x in a | b) true ;; (c) false ;; esac
case $x in a) npm test; esac
{ npm ci; npm test; }
{ grep foo x; test -e y; }
{ npm ci && npm test; } > out.log 2>&1
npm ci && { npm test || exit 1; }
(sleep 301 &); test -e v3
(cd app; npm test)
( cd app && npm test ) && npm run lint
(npm test) 2>&1 | tail -5
((cd app && npm test) || exit 1)
(if test -e x; then npm test; fi)
[[ -f x && -f y ]]
checks/ports.py
tests/check_ports.py --fast
e2e/smoke.mjs
exit 1
"my cmd" x
"./my tools/check it" --all
"$TOOL" --check src
$TOOL x
$HOME/bin/check
time { npm ci; npm test; }
`;

const PROSE = `
set up x
set up the database
set "Name" to Bob
set timeout to 5s
set config.debug
set --verbose as the default
set NODE_ENV=test first
set
file a bug
file a bug in README.md
file README.md mentions usage
file src/a.ts created
file exists
file upload works
source of truth updated
source src/index.ts updated
source maps generated
touch screen
touch "Save" button
touch "Save"
touch on/off
touch nothing
rm everything
rm everything in /tmp
rm everything && touch screen
rm old files
rm and/or mv
mv on to next
mv files to dist/
cp files over
cp files over to dist/
cut release
cut "foo" section
cut v2.0
exit code 0
exit 0
exit
exit status 0
diff looks good
diff src/a.ts looks right
diff README.md clean
diff is empty
diff and/or log
jq installed
env vars set
env file present
env
sort order ascending
sort ascending/descending
sort by name
sort
sort works; file saved
type "hello" in the box
type "hello"
type checks
type errors: none
type hello
stat cards visible
stat page
sleep mode works
sleep 5 seconds
tail of the log
tail latency below 200ms
head of the table
head office notified
head
black text on white background
black text
black box
black Node.js logo
ruby installed on machine
ruby 3.2 installed
ruby version 3.2
go to the page
go live
go back
go test everything
go run
go get coffee
go 1.22 installed
go
make sure it works
make coffee
make all tests green
make build green
make test data
make it pass
make changes
make read-only
make 4.3
test login
test the login flow
test coverage above 80%
test --help output
test a = b
test everything
test -h option
test
node installed
node 20 installed
node 20.1
node version 20
node server.js boots fine
node src/x.js crashes
node src/x.js list is sorted
npm publish
npm publish succeeds with --dry-run
node starts
node
time to first byte below 1s
time spent
time flies
time
date format correct
date 2026-01-01 shown
date picker opens
date
find all usages
find "Save" button
find src files
find nothing
find
cat picture visible
cat
echo works
tsc --noEmit 无类型错误
tsc --noEmit 无类型错误；addFiles/deleteFiles 均出现
npm run build läuft durch
tsc --noEmit läuft
echo cancellation
echo
echo ok
watch the log
watch mode works
open index.html
open the page
open http://localhost:3000
check src/a.ts
check the page
run npm test
run ./scripts/check.sh
just works
just check
just test
just
then make
do make
if make
which file
which version
command palette opens
join the call
more tests
less noise
export button works
export "CSV"
ping server
ping works
curl
curl works
curl command succeeds
curl output valid
grep clean
grep finds nothing
grep output empty
ls output
npm installed
npm
npm package.json valid
npm audit clean
npm test green
npm test twice
npm test - all green
npm scripts added
yarn installed
yarn workspace configured
git clean
git history clean
git status clean
git commit
git diff empty
git log updated
git tag created
git
docker installed
docker image builds
docker compose stack healthy
docker compose file valid
docker running
cargo builds
cargo test green
python installed
python script works
python 3.12
pytest green
pytest clean
tsc clean
eslint clean
eslint rules updated
pip installed
rails server up
rake tasks listed
swift tests green
terraform plan empty
kubectl access granted
bash completion works
bash script
mix of colours
helm chart valid
poetry installed
zip file created
tar ball created
composer installed
bundle size below 200 kB
bundle size
flutter app opens
java installed
prettier output
jest green
mocha tests green
openssl present
true for all
false positives gone
scripts/check.sh clean
./scripts/check.sh green
bin/app starts
cat README.md mentions install
curl http://localhost:3000 ok
npm run build dist/ populated
git log -1 mentions fix
git status --short empty
git diff src/ small
node -v above 20
python --version 3.12
rm -rf discouraged
test -f flag documented
tsc --noEmit clean
eslint --fix applied everywhere
eslint . clean
pytest -q clean
mypy src clean
ls src structure
tail -f logs readable
echo "hello" works
wc -l under 200
mkdir -p used
All tests pass
Check that the page loads
If the server runs, the page shows
if the server runs, the page shows
if test -e x then npm test
if it works; then it is done
if npm test; then
if npm test; then …; fi
if npm test; then the page is there; fi
For each file, look at it
for each file in src; do look; done
for f in src, look at it
for f in a b; do look at it; done
for f in a b do npm test done
for now; do npm test
(see above)
(see above); npm test
(all green)
(make sure)
( … )
npm test (see above)
(npm test
npm test)
(npm test).
While running, open the page
while running, open the page
while npm start, open the page
until it works
Case by case
case by case
case x of npm test
case x in esac
case x in point
{ name: string; age: number; }
{ npm test }
{ the page; the form; }
{name}
! important
! make it pass
! the page
[[page]]
[[ see the page ]]
# npm test
done
fi
"Save" button
"Save" is there
"no results" message in src/a.ts
"npm test"
$5
$PATH contains node
$name
A=1; B=2
src/a.ts
lib/port.js
tests/test_ports.py
read/write
on/off
tests/run.sh green
tests/run.sh, then look
exit 1 expected
npm test passes
npx tsc --noEmit fails
npx tsc --noEmit clean
Run \`npm test\`, then \`npm start\`
Do not run \`npm test\`
Check \`src/a.ts\`
Run \`test\`
Run \`the thing\`
\`npm test\` fails
\`src/a.ts\` passes
\`npm test
`;

describe('is a command, word for word', () => {
  test.each(linesOf(COMMANDS))('%s', (text) => {
    expect(verify(text)).toEqual({ text, command: text, commands: [text], hint: null });
    expect(verify(`$ ${text}`)?.commands).toEqual([text]);
    if (!/^(?:export|set) /.test(text))
      expect(verify(`\n- ${text}\n- npm run lint\n`)?.commands).toEqual([text, 'npm run lint']);
  });
});

describe('is prose, with a hint that names the fix', () => {
  test.each([...linesOf(UNKNOWN), ...linesOf(PROSE)])('%s', (text) => {
    expect(verify(text)).toEqual({
      text,
      command: null,
      commands: [],
      hint: expect.stringContaining('<automated>'),
    });
  });

  test.each(linesOf(UNKNOWN))('in <automated> it runs: %s', (text) => {
    const plan = parseTaskPlan(`<task>\n<verify><automated>${escaped(text)}</automated></verify>\n</task>\n`);
    expect(plan.tasks[0]!.verify?.commands).toEqual([text]);
  });

  test.each(linesOf(PROSE).filter((text) => !/[:.]$|^#|^A=1/.test(text)))('behind a command: %s', (text) => {
    const spoken = /^echo\b|^exit(?: \d)?$|^"|`|^npm test - /.test(text);
    if (!spoken) expect(verify(`npm ci && ${text}`)?.command).toBeNull();
    expect(verify(`npm ci\n${text}`)?.command).toBeNull();
  });

  test.each([...linesOf(PROSE), ...linesOf(COMMANDS)].filter((text) => !/[./]$|echo/.test(text)))(
    'as a sentence: %s.',
    (text) => {
      expect(verify(`${text}.`)?.command).toBeNull();
      expect(verify(`${text} and look`)?.command).toBeNull();
    },
  );
});

describe('over several lines', () => {
  test.each<[string, string[]]>([
    ['npm ci && # first\n  npm test', ['npm ci && # first\n  npm test']],
    ['npm test # all of it \\\nls dist', ['npm test', 'ls dist']],
    ['out=$(node src/x.js)\ntest "$out" = 3', ['out=$(node src/x.js)\ntest "$out" = 3']],
    ['A=1\nnpm test', ['A=1\nnpm test']],
    ['node -e "\nconst a = 1;\n"', ['node -e "\nconst a = 1;\n"']],
    ['npm test \\\n  --silent\nls dist', ['npm test \\\n  --silent', 'ls dist']],
    ['A=1\nB=2', []],
    ['$ npm ci\n$ npm test', ['npm ci', 'npm test']],
    ['$ npm ci\nnpm test', []],
    ['$ npm ci\nadded 3 packages', []],
    ['npm test # all of it \\\nThe page loads', []],
    ['npm test &&', []],
    ['&& npm test', []],
    ['npm test &', []],
    ['cat > x <<END\nnpm test\nEND', []],
  ])('%j', (text, expected) => {
    expect(verify(`\n${text}\n`)?.commands).toEqual(expected);
    expect(verify(`\n${text}\n`.replaceAll('\n', '\r\n'))?.commands).toEqual(expected);
  });
});

describe('is read in linear time', () => {
  const many = 100_000;
  test.each([
    ['parentheses', '('.repeat(many)],
    ['words with parentheses', 'a( '.repeat(many)],
    ['substitutions', '$('.repeat(many)],
    ['quotes', `"a' `.repeat(many)],
    ['negations', '! '.repeat(many)],
    ['comments', 'npm test # \\\n'.repeat(many)],
    ['ticks', '`'.repeat(many)],
    ['spans', '`npm test` '.repeat(many)],
    ['lines of spans', '- `npm test` passes\n'.repeat(many)],
    ['fences', '```\nnpm test\n'.repeat(many)],
    ['slashes', 'a/'.repeat(many)],
    ['a long word', 'npm test '.repeat(500) + 'a'.repeat(many)],
    ['blanks', `${' '.repeat(many)}x`],
    ['blank lines', `${'\n'.repeat(many)}x`],
  ])('of %s', (_, text) => {
    expect(verify(text)?.command ?? null).not.toBe('');
  });
});

test('the tables are long enough to mean something', () => {
  expect(linesOf(COMMANDS).length).toBeGreaterThanOrEqual(120);
  expect(linesOf(PROSE).length).toBeGreaterThanOrEqual(300);
});
