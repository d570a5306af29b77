import type { Policy } from "../../tools/index.ts";

/** What a run was asked to be. */
export interface RunSettings {
  /** What the task is; undefined where a person is asked for it. */
  readonly prompt: string | undefined;
  readonly workspace: string;
  readonly front: "terminal" | "text" | "json";
  readonly policy: Policy;
  readonly provider: Provider;
  /** The model's name. */
  readonly model: string;
  /** Where the journals lie. */
  readonly dataDir: string;
  readonly isEphemeral: boolean;
  readonly oneshot: boolean;
  readonly exitOnError: boolean;
  /** Mistakes in a row until a person is asked; 0 is never. */
  readonly mistakes: number | undefined;
  readonly debug: boolean;
  /** What no log may hold. */
  readonly secrets: readonly string[];
}

/** Where answers come from. */
export type Provider =
  | { readonly kind: "anthropic"; readonly apiKey: string | undefined; readonly baseURL: string | undefined }
  | { readonly kind: "mock"; readonly script: string | undefined };

/** Ends the run with this code. The first one counts. */
export type Leave = (code: number) => void;
