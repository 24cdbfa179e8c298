import { isScanner } from '../../tracking/tracking-agents.ts';

/**
 * User agents of programs that open pages and run their scripts, by the words with which they name themselves. A `bot`
 * ends a word, and is not the end of `Cubot`, which makes phones.
 */
const ROBOT = new RegExp(
  [
    '(?<!\\bcu)bots?(?![a-z])',
    'crawl|spider|scrap(?:er|ing|y)|headless|lighthouse|phantomjs|puppeteer|playwright|selenium|webdriver',
    'Mediapartners-Google|Google-InspectionTool|GoogleOther|PageSpeed|GTmetrix|PTST/',
    'AhrefsSiteAudit|ChatGPT-User|Claude-User|Perplexity-User|Slurp|ia_archiver|archiver|Pingdom|StatusCake|SiteImprove',
  ].join('|'),
  'i',
);

/** Whether a user agent says that no person is visiting a page; false if it is missing. */
export const isRobot = (userAgent: string): boolean => ROBOT.test(userAgent) || isScanner(userAgent);
