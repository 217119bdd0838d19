import { signal } from '@preact/signals';

/** Where the user is: the address after `#/`, as decoded words. */
export const route = signal<readonly string[]>(readRoute());

addEventListener('hashchange', () => {
  route.value = readRoute();
});

function readRoute(): string[] {
  if (!location.hash.startsWith('#/')) return [];
  return location.hash
    .slice(2)
    .split('/')
    .filter((word) => word !== '')
    .map(decodeWord);
}

function decodeWord(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** An address for a link. */
export function linkTo(...words: (string | number)[]): string {
  return `#/${words.map((word) => encodeURIComponent(word)).join('/')}`;
}

export function goTo(...words: (string | number)[]): void {
  location.hash = linkTo(...words);
  // The browser says so later: the next key must not meet the old route.
  route.value = readRoute();
}

/** The same, without a new entry in the browser's history. */
export function replaceRoute(...words: (string | number)[]): void {
  history.replaceState(null, '', linkTo(...words));
  route.value = readRoute();
}
