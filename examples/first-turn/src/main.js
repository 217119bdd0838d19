#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { countLines, countWords } from './count.js';

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('Usage: word-count FILE...');
  process.exitCode = 2;
}
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  console.log(`${file}: ${countLines(text)} lines, ${countWords(text)} words`);
}
