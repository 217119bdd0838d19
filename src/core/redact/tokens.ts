import { beginsWord, CharClass, Cursor, type Finding, LONGEST, type Matcher } from './piece.js';
import { isDiverse } from './values.js';

const ALNUM = new CharClass('A-Za-z0-9');
const WORD = new CharClass('A-Za-z0-9_\\-');
const DOTTED = new CharClass('A-Za-z0-9_.\\-');
const TILDED = new CharClass('A-Za-z0-9_.~\\-');
const BASE64 = new CharClass('A-Za-z0-9+\\/=');
const PATH = new CharClass('A-Za-z0-9_\\/\\-');
const URL_BASE64 = new CharClass('A-Za-z0-9+\\/=%_\\-');

/** So much of a token must be diverse. */
const DIVERSE = 128;

interface Shape {
  prefixes: readonly string[];
  /** Behind the prefix: the least that makes it a token, as a regular expression that cannot look far. */
  body: string;
  /** What then still belongs to it. Holds all characters of `body`, so that more text never makes less of a token. */
  members: CharClass;
  /** The most characters that `body` can look at. 130 unless said. */
  reach?: number;
  /** May stand right behind a word. */
  anywhere?: boolean;
  /** So many of its first characters are not masked: they are a name or an address. */
  keeps?: number | 'prefix';
  /** A further condition, which a longer token meets if a shorter one does. */
  accepts?(token: string, before: string): boolean;
}

const HEX_DIGITS = [...'0123456789abcdef'];
/** How digits look in base64, which is how Discord's tokens begin. */
const DIGITS_BASE64 = '[MNO][DTjz][AEIMQUYcgk][w-z0-5]';
const DISCORD_PREFIXES = [...'MNO'].flatMap((a) =>
  [...'DTjz'].flatMap((b) => [...'AEIMQUYcgk'].map((c) => a + b + c)),
);

const SHAPES: readonly Shape[] = [
  // GitHub, GitLab
  {
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    body: '[A-Za-z0-9]{30}',
    members: WORD,
    anywhere: true,
  },
  { prefixes: ['github_pat_'], body: '\\w{22}', members: WORD, anywhere: true },
  {
    prefixes: [
      ...['glpat-', 'gldt-', 'glrt-', 'glrtr-', 'glcbt-', 'glptt-', 'glft-', 'glimt-', 'glagent-', 'gloas-'],
      ...['glsoat-', 'glffct-', 'GR1348941'],
    ],
    body: '[\\w-]{20}',
    members: DOTTED,
    anywhere: true,
  },
  // AWS
  { prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], body: '[A-Z2-7]{16}', members: ALNUM },
  { prefixes: ['ABSK'], body: '[A-Za-z0-9+/]{100}', members: BASE64 },
  // Google
  { prefixes: ['AIza'], body: '[\\w-]{35}', members: WORD },
  { prefixes: ['ya29.'], body: '[\\w-]{20}', members: DOTTED },
  { prefixes: ['GOCSPX-'], body: '[\\w-]{24}', members: WORD },
  { prefixes: ['1//0'], body: '[\\w-]{30}', members: WORD },
  // Azure
  {
    prefixes: ['AccountKey=', 'SharedAccessKey='],
    body: '[A-Za-z0-9+/]{40}',
    members: BASE64,
    keeps: 'prefix',
  },
  {
    prefixes: ['sig='],
    body: '(?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){40}',
    members: URL_BASE64,
    keeps: 'prefix',
  },
  { prefixes: ['7Q~', '8Q~'], body: '[\\w~.-]{31}', members: TILDED, anywhere: true },
  // Slack, Discord, Teams, Telegram
  {
    prefixes: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'],
    body: '[\\w-]{10}',
    members: WORD,
  },
  { prefixes: ['xoxe.xox'], body: '[bp]-[\\w-]{20}', members: WORD },
  { prefixes: ['xapp-'], body: '\\d-[\\w-]{20}', members: WORD },
  {
    prefixes: ['hooks.slack.com/services/', 'hooks.slack.com/workflows/', 'hooks.slack.com/triggers/'],
    body: '\\w{6,20}/\\w{6,20}/\\w{8}',
    members: PATH,
    keeps: 'prefix',
    anywhere: true,
  },
  {
    prefixes: ['/api/webhooks/'],
    body: '\\d{15,20}/[\\w-]{40}',
    members: PATH,
    keeps: 'prefix',
    anywhere: true,
  },
  {
    prefixes: ['.webhook.office.com/webhookb2/'],
    body: '[\\w-]{20}',
    members: new CharClass('A-Za-z0-9_@\\/\\-'),
    keeps: 'prefix',
    anywhere: true,
  },
  {
    prefixes: DISCORD_PREFIXES,
    body: `[w-z0-5](?:${DIGITS_BASE64}){4}[\\w-]{2,10}\\.[\\w-]{6}\\.[\\w-]{27}`,
    members: DOTTED,
  },
  {
    prefixes: [':AA'],
    body: '[\\w-]{32}',
    members: WORD,
    anywhere: true,
    keeps: 1,
    accepts: (_, before) => /\d{8,10}$/.test(before),
  },
  // Payment, mail and shops
  { prefixes: ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'], body: '[A-Za-z0-9]{16}', members: ALNUM },
  { prefixes: ['whsec_'], body: '[A-Za-z0-9+/]{24}', members: BASE64 },
  { prefixes: ['SG.'], body: '[\\w-]{16,64}\\.[\\w-]{16}', members: DOTTED },
  { prefixes: HEX_DIGITS.map((digit) => `SK${digit}`), body: '[0-9a-f]{31}', members: ALNUM },
  { prefixes: ['key-'], body: '[0-9a-f]{32}', members: ALNUM },
  { prefixes: ['xkeysib-'], body: '[0-9a-f]{32}', members: WORD },
  { prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shpua_'], body: '[0-9A-Fa-f]{32}', members: ALNUM },
  { prefixes: ['sq0atp-', 'sq0csp-', 'sq0idp-'], body: '[\\w-]{22}', members: WORD },
  { prefixes: ['EAAA'], body: '[\\w-]{56}', members: WORD, accepts: isNoBlob },
  { prefixes: ['shippo_live_'], body: '[0-9a-f]{32}', members: ALNUM },
  // Models and search
  { prefixes: ['sk-'], body: '[\\w-]{20}', members: WORD, accepts: isBroken },
  { prefixes: ['hf_', 'api_org_'], body: '[A-Za-z0-9]{30}', members: ALNUM },
  { prefixes: ['gsk_'], body: '[A-Za-z0-9]{40}', members: ALNUM },
  { prefixes: ['xai-', 'pplx-'], body: '[A-Za-z0-9]{40}', members: ALNUM },
  { prefixes: ['r8_'], body: '[A-Za-z0-9]{34}', members: ALNUM },
  { prefixes: ['tvly-'], body: '[\\w-]{24}', members: WORD, accepts: isBroken },
  { prefixes: ['lsv2_pt_', 'lsv2_sk_'], body: '[0-9a-f]{30}', members: WORD },
  // Packages, infrastructure and tools
  { prefixes: ['npm_'], body: '[A-Za-z0-9]{36}', members: ALNUM },
  { prefixes: ['pypi-'], body: '[\\w-]{50}', members: WORD },
  { prefixes: ['rubygems_'], body: '[0-9a-f]{40}', members: ALNUM },
  { prefixes: ['dckr_pat_', 'dckr_oat_'], body: '[\\w-]{20}', members: WORD },
  { prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: '[0-9a-f]{40}', members: ALNUM },
  { prefixes: ['dapi'], body: '[0-9a-f]{32}', members: WORD },
  { prefixes: ['lin_api_', 'lin_oauth_'], body: '[A-Za-z0-9]{32}', members: ALNUM },
  { prefixes: ['ntn_', 'secret_'], body: '[A-Za-z0-9]{40}', members: ALNUM },
  { prefixes: ['hvs.', 'hvb.', 'hvr.'], body: '[\\w-]{24}', members: WORD },
  { prefixes: ['.atlasv1.'], body: '[\\w-]{50}', members: WORD, keeps: 'prefix', anywhere: true },
  { prefixes: ['AGE-SECRET-KEY-1'], body: '[A-Z0-9]{50}', members: ALNUM, anywhere: true },
  { prefixes: ['glsa_'], body: '\\w{40}', members: WORD },
  { prefixes: ['glc_'], body: '[A-Za-z0-9+/]{32}', members: BASE64 },
  { prefixes: ['PMAK-'], body: '[0-9a-f]{24}-[0-9a-f]{34}', members: WORD },
  { prefixes: ['figd_'], body: '[\\w-]{40}', members: WORD },
  { prefixes: ['ATATT3x', 'ATCTT3x'], body: '[\\w-]{60}', members: new CharClass('A-Za-z0-9_=\\-') },
  { prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.'], body: '[A-Za-z0-9_-]{30}', members: DOTTED },
  { prefixes: ['pul-'], body: '[0-9a-f]{40}', members: ALNUM },
  { prefixes: ['NRAK-'], body: '[A-Z0-9]{27}', members: ALNUM },
  { prefixes: ['sntrys_', 'sntryu_'], body: '[\\w+/-]{40}', members: new CharClass('A-Za-z0-9_+\\/=\\-') },
  { prefixes: ['sbp_', 'sb_secret_'], body: '[\\w-]{30}', members: WORD, accepts: isBroken },
  { prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], body: '[\\w-]{32}', members: DOTTED },
  { prefixes: ['nfp_'], body: '[A-Za-z0-9]{36}', members: ALNUM },
  { prefixes: ['CFPAT-'], body: '[\\w-]{40}', members: WORD },
  { prefixes: ['HRKU-'], body: '[\\w-]{36}', members: WORD },
  { prefixes: ['tskey-'], body: '[a-z]{3,10}-[\\w-]{20}', members: WORD },
  { prefixes: ['dt0c01.', 'dt0s01.'], body: '[A-Z0-9]{24}\\.[A-Z0-9]{32}', members: DOTTED },
  { prefixes: ['CCIPAT_'], body: '\\w{40}', members: WORD },
  { prefixes: ['ops_eyJ'], body: '[\\w-]{100}', members: WORD },
  // A JSON Web Token, signed or encrypted; a private key that is base64 as a whole
  {
    prefixes: ['eyJ'],
    body: '[\\w-]{8,4000}\\.[\\w-]{8,4000}\\.[\\w-]{16}',
    members: DOTTED,
    reach: LONGEST,
  },
  {
    prefixes: ['LS0tLS1CRUdJTi'],
    body: '[A-Za-z0-9+/]{80}',
    members: BASE64,
    accepts: (token) => atob(token.slice(0, 80)).includes('PRIVATE KEY'),
  },
];

/** Not made of words, as names with dashes are: it has a long stretch of letters with digits among them. */
function isBroken(token: string): boolean {
  return (token.match(/[A-Za-z0-9]{16,}/g) ?? []).some((stretch) => /\d/.test(stretch));
}

/** Not from amid the base64 of some file, where zeros are many. */
function isNoBlob(token: string, before: string): boolean {
  const amidBase64 = /^[A-Za-z0-9+/]{11}[+/]$/.test(before) && /\d/.test(before) && /[A-Z]/.test(before);
  return isBroken(token) && new Set(token).size >= 26 && !amidBase64;
}

export const tokenMatchers: readonly Matcher[] = SHAPES.flatMap((shape) => {
  const body = new RegExp(shape.body, 'y');
  return shape.prefixes.map((prefix) => makeMatcher(shape, prefix, body));
});

function makeMatcher(shape: Shape, prefix: string, body: RegExp): Matcher {
  const { members, accepts, reach = 130 } = shape;
  return {
    prefix,
    find(piece, at): Finding | undefined {
      if (!shape.anywhere && !beginsWord(piece, at)) return undefined;
      const { text, floor } = piece;
      const start = at + (shape.keeps === 'prefix' ? prefix.length : (shape.keeps ?? 0));
      body.lastIndex = at + prefix.length;
      const cursor = new Cursor(piece, body.lastIndex);
      if (!body.test(text)) {
        // Of the members it has seen all, unless they go on to where the text ends.
        if (text.length < cursor.at + reach) cursor.take(members, reach);
        return cursor.starved ? { status: 'undecided', from: start } : undefined;
      }
      const bodyStart = cursor.at;
      cursor.take(members, DIVERSE);
      if (cursor.starved) return { status: 'undecided', from: start };
      if (!isDiverse(text.slice(bodyStart, cursor.at))) return undefined;
      cursor.take(members, LONGEST - (cursor.at - bodyStart));
      if (cursor.starved) return { status: 'undecided', from: start };
      const token = text.slice(bodyStart, cursor.at);
      if (accepts && !accepts(prefix + token, text.slice(Math.max(floor, at - 12), at))) return undefined;
      const end = cursor.at;
      return {
        status: 'secret',
        start,
        end,
        ...(token.length === LONGEST && { rest: members }),
      };
    },
  };
}
