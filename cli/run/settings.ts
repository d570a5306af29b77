import type { Policy } from "../../tools/index.ts";

/** What a run was asked to be. */
export interface RunSettings {
  /** What the task is, or what is said to one that goes on; undefined where a person is asked for it. */
  readonly prompt: string | undefined;
  readonly session: Session;
  /** Undefined: that of the task that goes on. */
  readonly workspace: string | undefined;
  readonly front: "terminal" | "text" | "json";
  readonly policy: Policy;
  readonly provider: Provider;
  /** The model's name. */
  readonly model: string;
  /** Where the journals lie. */
  readonly dataDir: string;
  readonly isEphemeral: boolean;
  /** Whether the workspace is snapshotted before a turn's first effect. */
  readonly checkpoints: boolean;
  readonly oneshot: boolean;
  readonly exitOnError: boolean;
  /** Mistakes in a row until a person is asked; 0 is never. */
  readonly mistakes: number | undefined;
  readonly debug: boolean;
  /** What no log may hold. */
  readonly secrets: readonly string[];
}

/** Which task is run: a new one, perhaps under this id; the one whose id begins so; or the workspace's newest. */
export type Session =
  | { readonly kind: "new"; readonly id: string | undefined }
  | { readonly kind: "given"; readonly id: string }
  | { readonly kind: "newest" };

/** Where answers come from. */
export type Provider =
  | { readonly kind: "anthropic"; readonly apiKey: string | undefined; readonly baseURL: string | undefined }
  | { readonly kind: "mock"; readonly script: string | undefined };

/** Ends the run with this code. The first one counts. */
export type Leave = (code: number) => void;
