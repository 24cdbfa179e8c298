/**
 * User agents of programs that fetch links and images of emails automatically. Deliberately short: scanners that do
 * not identify themselves are detected by their behaviour, and plain HTTP clients may be a person's tool.
 * - Mail security gateways that follow links before a person does.
 * - Office, which checks a link before it opens the browser.
 * - Previews of links that were pasted elsewhere.
 * - Search engines that found a forwarded link.
 * Not included: the image proxies of Gmail (GoogleImageProxy) and Yahoo (YahooMailProxy), which fetch when a person
 * opens the email, and Apple's Mail Privacy Protection, whose user agent looks like any browser.
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

/** Whether a user agent is a known prefetcher, scanner or link checker; false if it is missing. */
export function isAutomatedAgent(userAgent: string | null | undefined): boolean {
  return userAgent != null && AUTOMATED.test(userAgent);
}
