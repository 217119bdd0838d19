/** Names of files that hold keys and passwords by custom. Each pattern is compared with the name, in lower case. */
const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(?:\.(?!example$|sample$|template$|dist$).*)?$/,
  /^\.(?:npmrc|netrc|pgpass|pypirc|htpasswd|git-credentials)$/,
  /^_netrc$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_.*)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/,
  /^\.?(?:aws|docker)[-_]?credentials$/,
  /\.tfvars$/,
];

/** Whether a file is known to hold secrets, by its name. */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return SECRET_NAMES.some((pattern) => pattern.test(name));
}
