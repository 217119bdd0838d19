import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInWorker } from '../../../src/node/worker.js';
import { convertPage, readUrl } from '../../../src/runs/web/read-url.js';
import { makeRunContext } from '../run-context.js';
import { serve } from '../serve.js';

const LONG =
  'These are some words, and then some more of them, so that this is taken for a paragraph of an article.';

async function readPage(html: string | Uint8Array, contentType = 'text/html; charset=utf-8') {
  const origin = await serve((_, response) => void response.setHeader('content-type', contentType).end(html));
  const done = await readUrl(`${origin}/docs/page`, 1, makeRunContext({ execute: { outputLines: 100_000 } }));
  return { origin, done, text: done.output?.text ?? '' };
}

/** What a page without a title comes to, below its source. */
async function convert(body: string): Promise<string> {
  const { text, origin } = await readPage(`<html><head></head><body>${body}</body></html>`);
  return text.replace(`Source: <${origin}/docs/page>\n\n`, '').replaceAll(origin, 'ORIGIN');
}

describe('a page becomes Markdown', () => {
  test('its article, under its title, without what is around it', async () => {
    const { text, origin, done } =
      await readPage(`<!doctype html><html><head><title>The &amp; Title</title></head><body>
      <nav><a href="/">Home</a> <a href="/about">About us</a></nav>
      <article><h1>The &amp; Title</h1>${`<p>${LONG}</p>`.repeat(8)}<h2>Part</h2><p>${LONG}</p></article>
      <footer>Imprint, and all rights reserved</footer></body></html>`);
    expect(done).toMatchObject({ status: 'success', output: { language: 'markdown' } });
    expect(text).toBe(
      `# The & Title\n\nSource: <${origin}/docs/page>\n\n${`${LONG}\n\n`.repeat(8)}## Part\n\n${LONG}\n`,
    );
  });

  test('all of it where there is no article', async () => {
    const { text } = await readPage(
      '<title>Index</title><ul><li><a href="a">A</a><li><a href="/b?c=d">B</a></ul>',
    );
    expect(text).toMatch(
      /^# Index\n\nSource: <.*>\n\n-\s+\[A\]\(http.*\/docs\/a\)\n-\s+\[B\]\(http.*\/b\?c=d\)\n$/,
    );
  });

  test.each<[string, string, string]>([
    ['headings, under the title', '<h1>One</h1><h2>Two</h2>', '## One\n\n## Two\n'],
    ['emphasis', '<p><b>bold</b>, <em>this</em> and <code>code</code></p>', '**bold**, *this* and `code`\n'],
    [
      'code with its language',
      '<pre><code class="language-js hl">if (a) {\n  b();\n}\n</code></pre>',
      '```js\nif (a) {\n  b();\n}\n```\n',
    ],
    [
      'code in a marked block',
      '<div class="highlight-source-shell"><pre>npm ci</pre></div>',
      '```shell\nnpm ci\n```\n',
    ],
    ['code without one', '<pre>a\n  b</pre>', '```\na\n  b\n```\n'],
    ['code with breaks', '<pre>a<br>b</pre>', '```\na\nb\n```\n'],
    ['code that holds fences', '<pre>```js\n````</pre>', '`````\n```js\n````\n`````\n'],
    [
      'code in coloured pieces',
      '<pre><span>const</span> <span>a</span>\n\n\n<i>b</i></pre>',
      '```\nconst a\n\n\nb\n```\n',
    ],
    [
      'a table',
      '<table><thead><tr><th>A</th><th>B|C</th></tr></thead><tbody><tr><td>1</td><td></td></tr><tr><td colspan="2">both<br>of them</td></tr></tbody></table>',
      '| A | B\\|C |\n| --- | --- |\n| 1 |  |\n| both of them |  |\n',
    ],
    [
      'a table with a caption',
      '<table><caption>Sizes</caption><tr><td>a</td><td>b</td></tr></table>',
      'Sizes\n\n| a | b |\n| --- | --- |\n',
    ],
    [
      'a table for the layout',
      '<table><tr><td>left<pre>code</pre></td><td>right</td></tr></table>',
      'left\n\n```\ncode\n```\n\nright\n',
    ],
    [
      'a picture as what it says',
      '<p>See <img src="a.png" alt="the plan"> here <img src="b.png"></p>',
      'See the plan here\n',
    ],
    [
      'links',
      '<a href="../up">up</a> <a href="//other.test/x y">o</a>',
      '[up](ORIGIN/up) [o](http://other.test/x%20y)\n',
    ],
    ['a link with brackets', '<a href="/a(b)">x</a>', '[x](ORIGIN/a\\(b\\))\n'],
    [
      'links that lead nowhere',
      '<a href="javascript:alert(1)">run</a> <a href="data:text/html,x">d</a> <a>n</a>',
      'run d n\n',
    ],
    ['links without a text', '<p>a<a href="/x"></a> b <a href="/y"><img src="z"></a></p>', 'a b\n'],
    [
      'a list with its numbers',
      '<ol start="7"><li>a<li><p>b</p><p>c</p><li>d</ol>',
      '7.  a\n8.  b\n    \n    c\n    \n9.  d\n',
    ],
    ['a list with a start that is no number', '<ol start="1e9"><li>a<li>b</ol>', '1.  a\n2.  b\n'],
    ['a list in a list', '<ul><li>a<ul><li>b<li>c</ul><li>d</ul>', '-   a\n    -   b\n    -   c\n-   d\n'],
    ['code with marks of code', '<p><code>a `b` ``c</code> <code>`</code></p>', '```a `b` ``c``` `` ` ``\n'],
    [
      'a table whose first row is empty',
      '<table><tr></tr><tr><td>a</td></tr><tr><td>b</td></tr></table>',
      '| a |\n| --- |\n| b |\n',
    ],
    ['a base', '<base href="/other/"><p><a href="x">x</a></p>', '[x](ORIGIN/other/x)\n'],
    ['entities', '<p>&lt;b&gt; &amp; &#8364;&nbsp;5</p>', '<b> & € 5\n'],
  ])('%s', async (_, body, expected) => {
    expect(await convert(body)).toBe(expected);
  });

  test('what nobody sees does not appear', async () => {
    const hidden = [
      '<script>UNSEEN</script>',
      '<style>.UNSEEN {}</style>',
      '<noscript>UNSEEN</noscript>',
      '<template><p>UNSEEN</p></template>',
      '<p hidden>UNSEEN</p>',
      '<div style="color: red; DISPLAY : none"><p>UNSEEN</p></div>',
      '<span style="visibility:hidden">UNSEEN</span>',
      '<i aria-hidden="true">UNSEEN</i>',
      '<!-- UNSEEN -->',
      '<svg><text>UNSEEN</text></svg>',
      '<iframe srcdoc="UNSEEN">UNSEEN</iframe>',
      '<textarea>UNSEEN</textarea>',
      '<select><option>UNSEEN</option></select>',
      '<input type="hidden" value="UNSEEN">',
      '<dialog>UNSEEN</dialog>',
      '<p title="UNSEEN" data-x="UNSEEN">',
      '<img src="UNSEEN.png">',
      '<object data="UNSEEN">UNSEEN</object>',
    ];
    for (const [at, around] of [
      [0, ''],
      [1, `<p>${LONG}</p>`.repeat(10)],
    ] as const) {
      const text = await convert(`<main>${around}${hidden.join('<p>seen</p>')}</main>`);
      expect(text, String(at)).toContain('seen');
      expect(text, String(at)).not.toContain('UNSEEN');
    }
  });

  test.each<[string, Uint8Array, string]>([
    ['the header', Buffer.from('<p>Größe', 'latin1'), 'text/html; charset=iso-8859-1'],
    ['the page', Buffer.from('<meta charset="windows-1252"><p>Größe', 'latin1'), 'text/html'],
    [
      'the page, the old way',
      Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=latin1"><p>Größe', 'latin1'),
      'text/html',
    ],
    [
      'its declaration',
      Buffer.from('<?xml version="1.0" encoding="latin1"?><html><body><p>Größe</p></body></html>', 'latin1'),
      'application/xhtml+xml',
    ],
    ['nobody', Buffer.from('<p>Größe'), 'text/html'],
  ])('its character set is said by %s', async (_, bytes, contentType) => {
    const { text, done } = await readPage(bytes, contentType);
    expect(text).toMatch(/\n\nGröße\n$/);
    expect(done.notes).toBeUndefined();
  });

  test('one that does not say what it is', async () => {
    const origin = await serve((_, response) => void response.end('<!DOCTYPE html><p>A <b>page</b>'));
    expect((await readUrl(origin, 1, makeRunContext())).output?.text).toContain('A **page**');
  });
});

describe('broken pages', () => {
  test.each<[string, string, string]>([
    ['no html, no body', '<p>one<p>two', 'one\n\ntwo'],
    ['no body', '<html><head><title></title></head><p>one</p>two</html>', 'one\n\ntwo'],
    ['text around it', 'before<html><body>inside</body></html>after', 'inside'],
    ['text alone', 'just text', 'just text'],
    ['unclosed', '<div><p>one<b>two<table><tr><td>three', 'three'],
    ['closed too often', '</div></p>one</body></html>', 'one'],
    ['cut off in a tag', '<p>one</p><p class="tw', 'one'],
    ['cut off in a comment', '<p>one</p><!-- two', 'one'],
    ['a lone mark', '<p>1 < 2 & 3 > 2</p>', '1 < 2 & 3 > 2'],
    ['nothing', '', ''],
    ['nothing but a script', '<script>x</script>', ''],
  ])('%s', async (_, html, expected) => {
    const { done, text } = await readPage(html);
    expect(done.status).toBe('success');
    expect(text).toContain(expected);
  });
});

describe('hostile pages come to an end', () => {
  const fill = (piece: string, length = 5_000_000) => piece.repeat(Math.ceil(length / piece.length));
  const ALONE = ['The page is too large or too deeply nested for Markdown; this is its plain text.'];

  test.each<[string, string]>([
    ['5 MB of nested elements', `${fill('<div>')}needle`],
    ['5 MB of nested and closed elements', `${fill('<div>', 2_500_000)}needle${fill('</div>', 2_500_000)}`],
    ['lists in lists', `${'<ul><li>item'.repeat(3000)} needle`],
    ['tables in tables', `${'<table><tr><td>'.repeat(500)}needle`],
    ['a page of marks', `${fill('<')} needle`],
    ['a page of entities', `${fill('&amp')} needle`],
    ['a tag of attributes', `<p ${fill('a ')}>needle`],
    ['a million scripts', `${fill('<script>x</script>')}needle`],
    ['a hundred thousand rows', `<table>${'<tr><td>a<td>b'.repeat(50_000)}</table>needle`],
  ])('%s: the text alone', async (_, body) => {
    const { done, text } = await readPage(body);
    expect(done).toMatchObject({ status: 'success', notes: ALONE });
    expect(text).toContain('needle');
    expect(text).not.toContain('<script>');
  });

  test('the text alone has its title, its lines, and nothing that is hidden', async () => {
    const { text, origin } = await readPage(
      `<title>Deep &amp; wide</title>${'<div>'.repeat(1000)}<h1>One</h1><p>t<b>w</b>o&nbsp;&#50;<br>three</p><script>UNSEEN</script><p hidden>UN<p hidden>SEEN</p></p>
       <div style="display:none"><div>UNSEEN</div>UNSEEN</div><svg>UNSEEN</svg><!-- UNSEEN --><style>UNSEEN</style><p title=">">four`,
    );
    expect(text).toMatch(/^# Deep & wide\n\nSource: <.*>\n\nOne\n\ntwo 2\nthree\n+four\n$/);
    expect(text).toContain(`<${origin}/docs/page>`);
    expect(text).not.toContain('UNSEEN');
  });

  test.each<[string, string, RegExp]>([
    [
      'a large table',
      `<table>${'<tr><td>a</td><td>b</td></tr>'.repeat(5000)}</table>`,
      /\| a \| b \|\n\| a \| b \|\n/,
    ],
    [
      'a data URI of 5 MB',
      `<p>one</p><img alt="two" src="data:image/png;base64,${fill('A')}">`,
      /^one\n\ntwo\n$/,
    ],
    ['a link of 5 MB', `<p><a href="/${fill('a')}">one</a></p>`, /^one\n$/],
    ['5 MB of spaces', `<p>a${fill(' ')}b</p>`, /^a b\n$/],
    ['5 MB of spaces in code', `<pre>a${fill(' ')}b</pre><p>c</p>`, /^```\na {200}b\n```\n\nc\n$/],
    [
      'spaces in pieces of code',
      `<pre>a${`<b>${' '.repeat(90)}</b>`.repeat(10_000)}b</pre>`,
      /^```\na {200}b\n```\n$/,
    ],
    ['a class of 5 MB', `<p class="${fill('a ')}">one</p>`, /(?:^|\n)one\n$/],
    ['line breaks', `<p>a${'<br>'.repeat(40_000)}b</p>`, /^a\n\nb\n$/],
    ['10,000 links', '<a href="/x">y</a> '.repeat(10_000), /^\[y\]\(ORIGIN\/x\) \[y\]/],
    [
      '450 KB of items with numbers',
      `<ol>${'<li>item'.repeat(45_000)}</ol>`,
      /^1\. {2}item\n2\. {2}item\n[\s\S]*\n45000\. {2}item\n$/,
    ],
    [
      'rows behind many empty parts of a table',
      `<table>${'<thead></thead>'.repeat(24_000)}${'<tr><td>a'.repeat(12_000)}</table>`,
      /^\| a \|\n\| --- \|\n\| a \|\n/,
    ],
    [
      'spaces and code in pieces of code',
      `<pre>x <code> ${fill('a', 500_000)}</code><i>${`<b>${' '.repeat(90)}</b>`.repeat(5000)}&nbsp;</i></pre>`,
      /^```\nx {2}a+\n/,
    ],
    [
      'a base of 3 MB',
      `<base href="http://x.test/${fill('a', 3_000_000)}/">${'<a href="/b">c</a> '.repeat(10_000)}`,
      /^\[c\]\(ORIGIN\/b\) \[c\]/,
    ],
    ['marks that Markdown knows', `<p>${'*_`#[|'.repeat(1000)}</p>`, /^\\\*\\_\\`#\\\[/],
  ])('%s', async (_, body, expected) => {
    expect(await convert(body)).toMatch(expected);
  });
});

describe('a conversion that takes too long', () => {
  const SMALL = { marks: 2, elements: 1, attributes: 0 };
  const signal = new AbortController().signal;

  test('ends at its limit, and the page is plain text', async () => {
    expect(await convertPage('<p>one</p>', 'http://x.test', SMALL, { timeoutMs: 0, signal })).toEqual({
      status: 'plain',
      reason: 'The page was converted to plain text: its conversion to Markdown took longer than 0 s.',
    });
  });

  test('ends when the caller asks, whatever it is doing', async () => {
    const stop = new AbortController();
    const converting = convertPage('<a href="/x">y</a>'.repeat(49_000), 'http://x.test', SMALL, {
      signal: stop.signal,
    });
    stop.abort('SIGINT');
    expect(await converting).toEqual({ status: 'stopped' });
    expect(await convertPage('<p>one</p>', 'http://x.test', SMALL, { signal: stop.signal })).toEqual({
      status: 'stopped',
    });
  });

  test('a READ that is stopped then has failed', async () => {
    const stop = new AbortController();
    const origin = await serve((_, response) => {
      response.once('finish', () => setTimeout(() => stop.abort('SIGINT'), 100));
      response.setHeader('content-type', 'text/html').end('<a href="/x">y</a>'.repeat(49_000));
    });
    const done = await readUrl(origin, 1, makeRunContext({ signal: stop.signal }));
    expect(done).toMatchObject({ status: 'failure', summary: `${origin} was not waited for.` });
  });

  test('one that needs too much memory, or throws, leaves this program alone', async () => {
    const end = await runInWorker<unknown, never>(join(import.meta.dirname, 'hungry-worker.cjs'), 'memory', {
      timeoutMs: 60_000,
      memoryMb: 16,
    });
    expect(end).toMatchObject({ status: 'failed', reason: expect.stringContaining('memory') });
    for (const task of ['throw', 'exit', 'print']) {
      const limits = { timeoutMs: 60_000, memoryMb: 64 };
      const end = await runInWorker(join(import.meta.dirname, 'hungry-worker.cjs'), task, limits);
      expect(end, task).toMatchObject(
        task === 'print' ? { status: 'done', result: { env: {}, argv: 2 } } : { status: 'failed' },
      );
    }
    const missing = await runInWorker('./there-is-none.cjs', '', { timeoutMs: 60_000, memoryMb: 64 });
    expect(missing).toMatchObject({ status: 'failed' });
  });
});
