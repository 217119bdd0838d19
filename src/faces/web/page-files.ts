import { extname } from 'node:path';
import { randomId } from '../../node/ids.js';
import { readProgramFiles } from '../../node/program-files.js';
import { securityHeaders } from './guard.js';

/** Where index.html says it, each answer has a nonce of its own: `<style nonce="__NONCE__">`. */
const NONCE = '__NONCE__';
const INDEX = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Gives the page's files by their exact path, `/` for the page itself; undefined for every other path. */
export function openPageFiles(): (path: string) => Response | undefined {
  const files = readProgramFiles('page');
  const index = new TextDecoder().decode(files.get(INDEX));
  return (path) => {
    if (path === '/') return serveIndex(index);
    const name = path.slice(1);
    const type = TYPES[extname(name)];
    const bytes = name === INDEX ? undefined : files.get(name);
    if (bytes === undefined || type === undefined) return undefined;
    return new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { ...securityHeaders(), 'content-type': type },
    });
  };
}

function serveIndex(index: string): Response {
  const nonce = randomId(32);
  return new Response(index === '' ? NO_PAGE : index.replaceAll(NONCE, nonce), {
    headers: { ...securityHeaders(nonce), 'content-type': TYPES['.html']! },
  });
}

const NO_PAGE =
  '<!doctype html><title>teddy</title><p>The page is not part of this build. Run npm run build.';
