import { BitWriter } from './bit-writer.ts';

/** 16 × 16 pixels: 256 luma samples, then 64 samples of each chroma component. */
export type Macroblock = readonly number[];

/** Creates the sequence parameter set: baseline profile, one reference frame, size in macroblocks. */
export function sequenceParameterSet(columns: number, rows: number): number[] {
  const writer = new BitWriter();
  // profile_idc, constraint flags, level_idc
  writer.bits(66, 8).bits(0xc0, 8).bits(30, 8);
  // seq_parameter_set_id, log2_max_frame_num_minus4, pic_order_cnt_type, max_num_ref_frames
  writer.unsigned(0).unsigned(0).unsigned(2).unsigned(1);
  // gaps_in_frame_num_value_allowed_flag
  writer.bits(0, 1);
  // pic_width_in_mbs_minus1, pic_height_in_map_units_minus1
  writer.unsigned(columns - 1).unsigned(rows - 1);
  // frame_mbs_only_flag, direct_8x8_inference_flag, frame_cropping_flag, vui_parameters_present_flag
  writer.bits(0b1100, 4);
  return nalUnit(0x67, writer.finish());
}

/** Creates the picture parameter set: CAVLC; slices can disable the deblocking filter. */
export function pictureParameterSet(): number[] {
  const writer = new BitWriter();
  // pic_parameter_set_id, seq_parameter_set_id
  writer.unsigned(0).unsigned(0);
  // entropy_coding_mode_flag, bottom_field_pic_order_in_frame_present_flag
  writer.bits(0, 2);
  // num_slice_groups_minus1, num_ref_idx_l0_default_active_minus1, the same for l1
  writer.unsigned(0).unsigned(0).unsigned(0);
  // weighted_pred_flag, weighted_bipred_idc
  writer.bits(0, 3);
  // pic_init_qp_minus26, pic_init_qs_minus26, chroma_qp_index_offset; a signed 0 is encoded like an unsigned 0.
  writer.unsigned(0).unsigned(0).unsigned(0);
  // deblocking_filter_control_present_flag, constrained_intra_pred_flag, redundant_pic_cnt_present_flag
  writer.bits(0b100, 3);
  return nalUnit(0x68, writer.finish());
}

/** Creates the first frame: all macroblocks, uncompressed (I_PCM). */
export function keyFrame(macroblocks: readonly Macroblock[]): number[] {
  const writer = new BitWriter();
  // first_mb_in_slice, slice_type (I), pic_parameter_set_id
  writer.unsigned(0).unsigned(7).unsigned(0);
  // frame_num
  writer.bits(0, 4);
  // idr_pic_id
  writer.unsigned(0);
  // no_output_of_prior_pics_flag, long_term_reference_flag
  writer.bits(0, 2);
  // slice_qp_delta, disable_deblocking_filter_idc
  writer.unsigned(0).unsigned(1);
  // mb_type (I_PCM), samples
  for (const block of macroblocks) writer.unsigned(25).align().bytes(block);
  return nalUnit(0x65, writer.finish());
}

/** Creates a later frame from the macroblocks that change, by index. All others are skipped. */
export function deltaFrame(
  frameNumber: number,
  macroblockCount: number,
  changes: ReadonlyMap<number, Macroblock>,
): number[] {
  const writer = new BitWriter();
  // first_mb_in_slice, slice_type (P), pic_parameter_set_id
  writer.unsigned(0).unsigned(5).unsigned(0);
  // frame_num
  writer.bits(frameNumber % 16, 4);
  // num_ref_idx_active_override_flag, ref_pic_list_modification_flag_l0, adaptive_ref_pic_marking_mode_flag
  writer.bits(0, 3);
  // slice_qp_delta, disable_deblocking_filter_idc
  writer.unsigned(0).unsigned(1);
  let next = 0;
  for (const [index, block] of [...changes].toSorted(([a], [b]) => a - b)) {
    // mb_skip_run
    writer.unsigned(index - next);
    // mb_type (I_PCM), samples
    writer.unsigned(30).align().bytes(block);
    next = index + 1;
  }
  if (next < macroblockCount) writer.unsigned(macroblockCount - next);
  return nalUnit(0x61, writer.finish());
}

/** Creates a NAL unit. Emulation prevention bytes break up sequences that look like a start code. */
function nalUnit(header: number, payload: readonly number[]): number[] {
  const bytes = [header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return bytes;
}
