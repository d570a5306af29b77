/** A change of a task's wake-ups that a call makes. */
export type WakeUpChange =
  | {
      readonly kind: "schedule";
      /** The first due time, in milliseconds since 1970. Absent: after `afterMs`. */
      readonly at?: number;
      /** Milliseconds until the first due time. Absent, without `at`: one interval. */
      readonly afterMs?: number;
      /** Milliseconds from one due time to the next. Absent: it is due once. */
      readonly everyMs?: number;
      readonly message: string;
    }
  /** Without an `id`, all wake-ups are cancelled. */
  | { readonly kind: "cancel"; readonly id?: string };
