import { beginsWord, type Matcher } from './scanner.js';
import { isDiverse } from './values.js';

const ALNUM = 'A-Za-z0-9';
const WORD = 'A-Za-z0-9_\\-';
const DOTTED = 'A-Za-z0-9_.\\-';
const TILDED = 'A-Za-z0-9_.~\\-';
const BASE64 = 'A-Za-z0-9+\\/=';
const PATH = 'A-Za-z0-9_\\/\\-';
const URL_BASE64 = 'A-Za-z0-9+\\/=%_\\-';

interface Shape {
  prefixes: readonly string[];
  /** After the prefix: the least that makes it a token. */
  body: string;
  /** The characters that then still belong to it, as in the brackets of a regular expression. */
  members: string;
  /** It may follow a word directly. */
  anywhere?: boolean;
  /** How many of its first characters are not masked: they are a name or an address. */
  keeps?: number | 'prefix';
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
    members: 'A-Za-z0-9_@\\/\\-',
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
  { prefixes: ['ATATT3x', 'ATCTT3x'], body: '[\\w-]{60}', members: 'A-Za-z0-9_=\\-' },
  { prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.'], body: '[A-Za-z0-9_-]{30}', members: DOTTED },
  { prefixes: ['pul-'], body: '[0-9a-f]{40}', members: ALNUM },
  { prefixes: ['NRAK-'], body: '[A-Z0-9]{27}', members: ALNUM },
  { prefixes: ['sntrys_', 'sntryu_'], body: '[\\w+/-]{40}', members: 'A-Za-z0-9_+\\/=\\-' },
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
  },
  {
    prefixes: ['LS0tLS1CRUdJTi'],
    body: '[A-Za-z0-9+/]{80}',
    members: BASE64,
    accepts: (token) => atob(token.slice(0, 80)).includes('PRIVATE KEY'),
  },
];

/** Not made of words, as names with dashes are: it has a long run of letters with digits among them. */
function isBroken(token: string): boolean {
  return (token.match(/[A-Za-z0-9]{16,}/g) ?? []).some((run) => /\d/.test(run));
}

/** Not from the middle of a file in base64, which has many zeros. */
function isNoBlob(token: string, before: string): boolean {
  const near = before.slice(-12);
  const isInBase64 = /^[A-Za-z0-9+/]{11}[+/]$/.test(near) && /\d/.test(near) && /[A-Z]/.test(near);
  return isBroken(token) && new Set(token).size >= 26 && !isInBase64;
}

export const tokenMatchers: readonly Matcher[] = SHAPES.flatMap((shape) => {
  const pattern = new RegExp(`^${shape.body}[${shape.members}]*`);
  return shape.prefixes.map((prefix) => makeMatcher(shape, prefix, pattern));
});

function makeMatcher({ anywhere, keeps, accepts }: Shape, prefix: string, pattern: RegExp): Matcher {
  return {
    prefix,
    find(window, before) {
      if (!anywhere && !beginsWord(before)) return undefined;
      const token = pattern.exec(window.slice(prefix.length))?.[0];
      if (token === undefined || !isDiverse(token)) return undefined;
      if (accepts && !accepts(prefix + token, before)) return undefined;
      return { start: keeps === 'prefix' ? prefix.length : (keeps ?? 0), end: prefix.length + token.length };
    },
  };
}
