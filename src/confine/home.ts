import { splitWords } from '../core/text.js';
import { decodeText, MB, readBytes } from '../node/files.js';
import { AGENTS, stateOf } from './agents.js';

// What of the home folder a confined program sees. Everything that is not listed here is not there.

/** Toolchains and settings of tools, read-only. */
export const SHOWN_IN_HOME = splitWords(`
  .nvm .fnm .volta .asdf .pyenv .rbenv .rustup .cargo .bun .deno .sdkman .local/bin .local/lib
  .local/pipx .local/share/fnm .local/share/mise .local/share/pnpm .local/share/pipx
  .local/share/uv .local/share/claude .local/share/cursor-agent .jenv .config/fish/functions
  .config/nvim .config/starship.toml .tool-versions go .inputrc .vimrc .vim .terminfo
  .gitignore .gitignore_global .config/git/ignore .editorconfig
  .m2/repository .gradle/wrapper .gradle/caches .ivy2 .opam .ghcup .stack .elan
  miniconda3 anaconda3 miniforge3 mambaforge .juliaup .dotnet .nuget/packages .npm-global
`);

/** Shown where they hold no key, token or password. */
export const SHOWN_WITHOUT_SECRETS = splitWords(`
  .gitconfig .config/git/config .npmrc .yarnrc.yml .config/pip/pip.conf .cargo/config.toml
  .bashrc .bash_profile .profile .zshrc .zshenv .zprofile .config/fish/config.fish .config/mise/config.toml
`);

/** Keys, credentials and sessions, from the home folder. Most of them are not shown anyway; a link may lead to them. */
const SECRET_IN_HOME = splitWords(`
  .ssh .gnupg .aws .azure .kube .docker .netrc .git-credentials .pypirc .npmrc .config/gcloud
  .config/gh .config/hub .config/glab-cli .config/git/credentials .config/op .config/doctl
  .config/rclone .config/sops .config/age .config/containers .config/heroku .cargo/credentials
  .cargo/credentials.toml .cargo/config.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
  .gem/credentials .bundle/config .composer/auth.json .terraform.d .config/composer/auth.json
  .terraformrc .vault-token .pgpass .my.cnf .mylogin.cnf .boto .s3cfg .oci .fly .config/fly
  .config/netlify .config/vercel .local/share/com.vercel.cli .password-store .local/share/keyrings
  .local/share/kwalletd .config/keepassxc .config/Bitwarden .config/1Password .bitcoin .ethereum
  .config/solana .electrum .mozilla .thunderbird .config/google-chrome .config/chromium
  .config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/opera .librewolf
  .config/Slack .config/discord .config/Signal .config/Code .vscode .bash_history .zsh_history
  .python_history .node_repl_history .psql_history .mysql_history .local/share/fish .lesshst
  .viminfo .Xauthority .ICEauthority .databrickscfg .snowflake
`);

/** Where a program that runs as root, or as a member of the wrong group, would find more. */
export const SECRET_ON_SYSTEM = splitWords(`
  /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private
  /etc/NetworkManager/system-connections /etc/wireguard /etc/kubernetes /etc/rancher
  /etc/krb5.keytab /etc/ppp /etc/docker /etc/letsencrypt /etc/ssh /var/lib/docker
  /var/lib/containerd /var/lib/kubelet /var/spool/cron /var/mail /var/spool/mail /var/lib/sss
  /var/lib/bluetooth /var/lib/NetworkManager /var/backups /var/log /boot /sys/kernel/debug
  /sys/kernel/tracing /sys/firmware
`);

/** From the home folder: keys and credentials, and what other agents keep. */
export function secretsInHome(agent: string | undefined): string[] {
  const own = new Set(stateOf(agent).state);
  const others = Object.values(AGENTS).flatMap(({ state }) => state);
  return [...SECRET_IN_HOME, ...others.filter((path) => !own.has(path))];
}

/** Whether a file of settings is there, and holds no token and no password. */
export function isHarmless(path: string): boolean {
  const read = readBytes(path, MB);
  const decoded = read.status === 'bytes' ? decodeText(read.bytes) : undefined;
  return decoded?.status === 'text' && !CREDENTIALS.test(decoded.text);
}

const CREDENTIALS = /_auth|authorization|token|passw|secret|credential|api_?key|:\/\/[^\s/@]+@|-----BEGIN/i;
