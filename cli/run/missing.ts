import { DEFAULT_MODEL } from "../../adapters/anthropic/prices.ts";
import { PROVIDERS } from "../../adapters/models/provider.ts";
import type { ProviderName } from "../../adapters/models/table.ts";
import { CliError, KeyError } from "../error.ts";

/** The error of a missing API key: what to set for this provider. @param settingsFile the user's file */
export function noKey(provider: ProviderName, settingsFile: string): KeyError {
  const { keyVariables, urlVariable } = PROVIDERS[provider];
  const [variable = "", ...others] = keyVariables;
  const more = [
    ...others.map((name) => line(`export ${name}=...`, `instead of it${NOTES[name] ?? ""}`)),
    ...(urlVariable === undefined
      ? []
      : [line(`export ${urlVariable}=https://...`, "besides: another endpoint of the same API")]),
  ];
  return new KeyError(
    [
      `no API key: set ${variable}, or pass --api-key KEY. One of:`,
      line(`export ${variable}=...`, `the key of the provider ${provider}`),
      ...more,
      ...profileLines(`${provider}, model: ${EXAMPLES[provider]}, keyVariable: WORK_KEY`, settingsFile),
      "Models of other providers: --model openai/NAME, google/NAME, openai-compatible/NAME (docs/guide/models.md).",
      'To try it without a key: signalbox run --provider mock "Hello", or npm start in the repository.',
    ].join("\n"),
  );
}

const NOTES: Readonly<Record<string, string>> = { ANTHROPIC_AUTH_TOKEN: ": a token, as of a proxy" };

/** The error of a provider that has no endpoint of its own. */
export const noEndpoint = (provider: ProviderName, settingsFile: string): CliError =>
  new CliError(
    [
      `no endpoint: the provider ${provider} has none of its own. Pass --base-url URL, such as http://127.0.0.1:11434/v1.`,
      ...profileLines(
        `${provider}, model: ${EXAMPLES[provider]}, endpoint: "http://127.0.0.1:11434/v1"`,
        settingsFile,
      ),
      "Where the endpoint wants a key, add keyVariable: the environment variable that has it.",
    ].join("\n"),
  );

/** The error of a provider without a default model. */
export const noModel = (provider: ProviderName): CliError =>
  new CliError(
    `no model: the provider ${provider} has no default. Pass --model ${provider}/NAME, such as ${provider}/${EXAMPLES[provider]}.`,
  );

const profileLines = (profile: string, settingsFile: string): readonly string[] => [
  `Or define a profile in ${settingsFile}:`,
  "  version: 1",
  `  profiles: { work: { provider: ${profile} } }`,
  "  profile: work",
];

const line = (command: string, meaning: string): string => `  ${command.padEnd(38)}  ${meaning}`;

const EXAMPLES: Readonly<Record<ProviderName, string>> = {
  anthropic: DEFAULT_MODEL,
  openai: "gpt-5",
  google: "gemini-2.5-pro",
  "openai-compatible": "qwen3-coder",
};
