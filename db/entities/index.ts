import { analyticsEntities } from './analytics.ts';
import { authEntities } from './auth.ts';
import { campaignEntities } from './campaigns.ts';
import { importEntities } from './contact-imports.ts';
import { channelEntities } from './channels.ts';
import { contactEntities } from './contacts.ts';
import { emailCampaignEntities } from './email-campaigns.ts';
import { emailRecipientEntities } from './email-recipients.ts';
import { workflowComparisonEntities } from './workflow-comparison.ts';
import { emailSenderEntities } from './email-senders.ts';
import { emailTemplateEntities } from './email-templates.ts';
import { emailEntities } from './emails.ts';
import { eventEntities } from './events.ts';
import { formEntities } from './forms.ts';
import { installationEntities } from './installation.ts';
import { keptFileEntities } from './kept-files.ts';
import { messageFigureEntities } from './message-figures.ts';
import { messageEntities } from './messages.ts';
import { reportEntities } from './reports.ts';
import { scoringEntities } from './scoring.ts';
import { webhookEntities } from './webhooks.ts';

export const entities = [
  ...authEntities,
  ...contactEntities,
  ...importEntities,
  ...emailTemplateEntities,
  ...emailEntities,
  ...emailRecipientEntities,
  ...emailSenderEntities,
  ...workflowComparisonEntities,
  ...emailCampaignEntities,
  ...campaignEntities,
  ...formEntities,
  ...installationEntities,
  ...keptFileEntities,
  ...scoringEntities,
  ...analyticsEntities,
  ...reportEntities,
  ...webhookEntities,
  ...channelEntities,
  ...messageEntities,
  ...messageFigureEntities,
  ...eventEntities,
];
