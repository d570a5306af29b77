/** An address of a host; family 4 or 6. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** The lookup of a connection, as Node takes it. Its types need none of Node's. */
export type AddressLookup = (
  host: string,
  options: { readonly all?: boolean | undefined },
  callback: (error: Error | null, address: string | HostAddress[], family?: number) => void,
) => void;

/** An action of a call on the page of a browser. Coordinates and sizes are in CSS pixels of the viewport. */
export type PageAction =
  | {
      readonly action: "click" | "hover";
      readonly coordinate: { readonly x: number; readonly y: number };
    }
  /** `press`: the text is a key with its modifiers, such as `Enter` or `Control+a`. */
  | { readonly action: "type" | "press"; readonly text: string }
  /** By the height of the viewport. */
  | { readonly action: "scroll_down" | "scroll_up" }
  | { readonly action: "resize"; readonly size: ViewportSize };

export interface ViewportSize {
  readonly width: number;
  readonly height: number;
}

/** The connections that a page may make. */
export interface PageAccess {
  /** Whether a connection to this URL may be tried: a name is checked when it is looked up. */
  mayConnect(url: URL): boolean;
  /** The lookup of a connection: it fails for an address that is not permitted. */
  lookup(url: URL): AddressLookup;
}

/** The page after an action. Its texts are of the web. */
export interface PageView {
  /** The host that the launch was for. */
  readonly host: string;
  readonly url: string;
  readonly title: string;
  readonly viewport: ViewportSize;
  /** The things logged, opened, downloaded or refused since the last view, in order. */
  readonly events: readonly string[];
  /** How many more events there were. */
  readonly cutEvents: number;
  /** The URL of another host that the page would have gone to. */
  readonly leftFor?: string;
  /** A JPEG image of the viewport. */
  readonly screenshot: Uint8Array;
}

/** The browser of a task, with one page. At most one process runs at a time. */
export interface Browser {
  /** Whether it is open, starts or is being closed. A task keeps its actors in the meantime. */
  readonly isOpen: boolean;
  /**
   * Start the browser with a page of this URL. One that is open is closed before. The page stays on the host: a navigation
   * that leaves it is not made.
   *
   * @throws ToolError `NOT_INSTALLED`, `PRIVATE_ADDRESS`, `FAILED`; the reason of the abort. Then no browser is open.
   */
  launch(url: URL, options: { readonly access: PageAccess; readonly signal: AbortSignal }): Promise<PageView>;
  /**
   * Act on the page. An action that takes too long, or that is aborted, closes the browser.
   *
   * @throws ToolError `NOT_FOUND` if no browser is open, `ARGUMENTS_INVALID`, `FAILED`; the reason of the abort
   */
  act(action: PageAction, signal: AbortSignal): Promise<PageView>;
  /** Close the browser, if it is open or starts. Never rejects. */
  close(): Promise<void>;
}
