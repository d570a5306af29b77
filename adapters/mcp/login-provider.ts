import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { assertSecure } from "./authorization-fetch.ts";
import type { McpLogin } from "./logins.ts";
import type { McpEndpoint, McpOAuth } from "./options.ts";

export interface LoginProviderParts {
  readonly server: McpEndpoint;
  readonly redirectUrl: string;
  readonly state: string;
  readonly open: (address: URL) => void;
}

/** The provider of the protocol's client during one login. It keeps nothing before the login has succeeded. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  /** Absent for a client of the settings: it is never replaced by one that registers itself. */
  readonly saveClientInformation?: (client: StoredOAuthClientInformation) => void;
  readonly #parts: LoginProviderParts;
  #client: StoredOAuthClientInformation | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier: string | undefined;
  #tokens: StoredOAuthTokens | undefined;

  constructor(parts: LoginProviderParts) {
    this.#parts = parts;
    this.redirectUrl = parts.redirectUrl;
    this.clientMetadata = {
      client_name: "signalbox",
      redirect_uris: [parts.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
    this.#client = registeredClient(parts.server.oauth);
    if (this.#client === undefined)
      this.saveClientInformation = (client) => {
        this.#client = client;
      };
  }

  /** The login, once there are tokens. */
  get login(): McpLogin | undefined {
    const { authorizationServerUrl, resourceMetadata } = this.#discovery ?? {};
    if (authorizationServerUrl === undefined || this.#client === undefined || this.#tokens === undefined)
      return undefined;
    return {
      authorizationServer: authorizationServerUrl,
      resource: resourceMetadata?.resource,
      client: this.#client,
      tokens: this.#tokens,
    };
  }

  state(): string {
    return this.#parts.state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  /** None: a login never renews an earlier one. */
  tokens(): undefined {}

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(address: URL): void {
    assertSecure(address, this.#parts.server.url);
    this.#parts.open(address);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw new Error("Expected the verifier of a login that has begun.");
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }
}

function registeredClient({
  clientId,
  clientSecret,
  issuer,
}: McpOAuth = {}): StoredOAuthClientInformation | undefined {
  if (clientId === undefined) return undefined;
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(issuer !== undefined && { issuer }),
  };
}
