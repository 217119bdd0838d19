import { format } from '../src/format.mjs';

const [shown, expected] = [format(20, 'C'), '20.0 °C'];
if (shown !== expected) {
  console.error(`format(20, 'C') gives "${shown}", and not "${expected}"`);
  process.exit(1);
}
console.log('1 check passed');
