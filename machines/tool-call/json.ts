/** A value that JSON writes and reads back unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
