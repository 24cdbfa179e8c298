/**
 * Programs that fetch links and pictures of mails on their own and say who they are. Short on purpose: what behaves like
 * a scanner without saying so is told by its behaviour, and plain HTTP clients may be a person's tool.
 * - Mail security gateways that follow links before a person does.
 * - Office, which looks at a link before it opens the browser.
 * - Previews of links that were pasted elsewhere.
 * - Search engines that got hold of a forwarded link.
 * Not here: the image proxies of Gmail (GoogleImageProxy) and Yahoo (YahooMailProxy), which fetch when a person opens
 * the mail, and Apple's Mail Privacy Protection, whose user agent is that of any browser.
 */
const AUTOMATED = new RegExp(
  [
    'barracuda|proofpoint|mimecast|ironport|cisco ?secure ?email|fortimail|fortiguard|forcepoint|messagelabs',
    'trend ?micro|TMES|cloudmark|sophos|fireeye',
    'Microsoft Office (?:Existence|Protocol) Discovery|SkypeUriPreview|BingPreview',
    'Slackbot|Slack-ImgProxy|facebookexternalhit|facebookcatalog|Twitterbot|LinkedInBot|WhatsApp/|TelegramBot',
    'Discordbot|Snap URL Preview|Pinterestbot|redditbot',
    'Googlebot|bingbot|Applebot|YandexBot|Baiduspider|DuckDuckBot|PetalBot',
  ].join('|'),
  'i',
);

/** Whether a user agent names a known prefetcher, scanner or link checker. A missing one says nothing. */
export function isAutomatedAgent(userAgent: string | null | undefined): boolean {
  return userAgent != null && AUTOMATED.test(userAgent);
}
