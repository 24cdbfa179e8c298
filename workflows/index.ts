export { campaignExecution } from './campaign-execution.ts';
export { campaignEnrolment } from './campaign-enrolment.ts';
export { campaignResume, campaignStop } from './campaign-flags.ts';
export { campaignSimulation } from './campaign-simulation.ts';
export { contactImport } from './contact-import.ts';
export { contactErasure } from './erasure.ts';
export { emailCampaign } from './email-campaign.ts';
export { importUndo } from './import-undo.ts';
export { segmentBuild } from './segment-build.ts';
