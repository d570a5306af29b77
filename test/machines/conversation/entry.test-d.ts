import type { MessageParam } from "@anthropic-ai/sdk/resources/messages/messages";
import type { Entry } from "../../../machines/conversation/index.ts";

/** `T` as the SDK spells it: its arrays are mutable where ours are not; nothing else is changed. */
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;

type Holds<T extends true> = T;

/** The compiler refuses this file when one of our entries is not a message of the SDK's API. */
export type EveryEntryIsAMessage = Holds<Mutable<Entry> extends MessageParam ? true : false>;
/** And the roles are the same, so that none of ours has to be translated. */
export type RolesAreTheSame = Holds<Entry["role"] extends MessageParam["role"] ? true : false>;
