import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/formats/task-plan/index.js';

// Programs whose names are English words, and sentences that begin with them. Nothing is run by guess.
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const command = (text: string) =>
  parseTaskPlan(`<task>\n<verify>${escaped(text)}</verify>\n</task>\n`).tasks[0]!.verify?.command;

const COMMANDS = `
make
pytest
true
ls
npm test
npm ci
npm start
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
node src/x.js list
node src/todo.mjs add "a task"
python3 manage.py migrate
npm publish --dry-run
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
mvn clean verify
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
php artisan test
ruby -c app.rb
ruby script/check.rb
black --check .
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
time npm test
timeout 60 npm test
env CI=1 npm test
CI=1 make test
export CI=1 && npm test
set -e; npm test
set -euo pipefail
source .venv/bin/activate && pytest
file dist/app.bin
touch dist/.keep
rm -rf dist
rm -rf dist && npm run build
cp -r src dist
mv -f old.txt new.txt
cut -d, -f1 out.csv
diff expected.txt actual.txt
diff -r dist expected
[ -f x -a -f y ]
make clean
npm run clean
make -C app clean
node -v
python --version
wc -l src/a.ts
diff -u expected.txt actual.txt
sort -c names.txt
sort names.txt | uniq -d
stat -c %s out.bin
sleep 5
sleep 2 && curl -f localhost:3000
tail -5 out.log
tail -n 5 build.log
head -20 CHANGELOG.md | grep silent
cat package.json
cat package.json | jq .version
cat out.txt | grep -c ok
find . -name "*.ts"
find src -name "*.ts" | wc -l
find src -type f
env | grep CI
echo "$PATH"
echo 123 | node tools/scan.mjs
npm test || exit 1
npm test && echo ok
npm test && echo all is well
date -u
jq -e .ok out.json
jq . package.json
curl -sf http://localhost:3000/health
curl localhost:3000
curl -s localhost/health | jq
grep -q silent src/flags.ts
grep -c "x y" out.txt
grep TODO src/
! grep -rq TODO src
ls dist
ls dist/*.js
cd app && npm test
(cd app && npm test)
which node
command -v node
wc -l out.txt
sed -n 1,5p out.txt
awk '{print $1}' out.txt
psql -c "select 1"
sqlite3 app.db "select 1"
systemctl status nginx
bash scripts/check.sh
bash -n scripts/check.sh
sh -c 'exit 0'
./scripts/check.sh
scripts/check.sh --all
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
`;

const linesOf = (text: string) => text.trim().split('\n');

describe('is a command', () => {
  test.each(linesOf(COMMANDS))('%s', (text) => {
    expect(command(text)).toBe(text);
  });
});

describe('is prose', () => {
  test.each(linesOf(PROSE))('%s', (text) => {
    expect(command(text)).toBeNull();
  });

  test.each(linesOf(PROSE).filter((text) => !/[:.]$/.test(text)))('behind a command: %s', (text) => {
    const spoken = /^echo\b/.test(text) || /^exit( 0)?$/.test(text) || /^npm test - /.test(text);
    if (!spoken) expect(command(`npm ci && ${text}`)).toBeNull();
    expect(command(`npm ci\n${text}`)).toBeNull();
  });

  test.each(linesOf(PROSE))('as a sentence: %s', (text) => {
    expect(command(`${text}.`)).toBeNull();
  });
});

test('the tables are long enough to mean something', () => {
  expect(linesOf(COMMANDS).length).toBeGreaterThanOrEqual(40);
  expect(linesOf(PROSE).length).toBeGreaterThanOrEqual(60);
  expect(new Set([...linesOf(COMMANDS), ...linesOf(PROSE)]).size).toBe(
    linesOf(COMMANDS).length + linesOf(PROSE).length,
  );
});
