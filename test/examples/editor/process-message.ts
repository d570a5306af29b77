/** The folders and settings of an editor's window. */
export interface Window {
  readonly folder: string;
  /** The folder of the built extension. */
  readonly extension: string;
  readonly storage: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The texts of documents that are not saved, by path. */
  readonly unsaved: Readonly<Record<string, string>>;
}

/** A message of a test to the process of the extension. */
export type Input =
  | { readonly type: "webview"; readonly message: unknown }
  | { readonly type: "command"; readonly name: string }
  | { readonly type: "deactivate" };

/** A message of the process of the extension to a test. */
export type Output =
  | { readonly type: "webview"; readonly message: unknown }
  | { readonly type: "page"; readonly html: string }
  | { readonly type: "diff"; readonly title: string; readonly before: string; readonly after: string }
  | { readonly type: "saved"; readonly path: string }
  | { readonly type: "problem"; readonly text: string };
