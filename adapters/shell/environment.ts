/** Names of variables that hold secrets: what a command line prints, the model reads. */
const SECRET = /(^|_)(API_?KEY|TOKEN|SECRET|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY|PASSWORD|PASSWD|CREDENTIALS)$/i;

/** The variables that a command gets: all but those whose names say that they are secret, save the kept ones. */
export function withoutSecrets(env: NodeJS.ProcessEnv, kept: readonly string[]): NodeJS.ProcessEnv {
  const entries = Object.entries(env).filter(([name]) => kept.includes(name) || !SECRET.test(name));
  return Object.fromEntries(entries);
}
