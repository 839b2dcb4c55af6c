import { useRef, useState } from 'preact/hooks';

import { Icon } from '../parts/icon.tsx';

/** Plays a sound: a button, a slider and the time. */
export function Player({ url, name }: { url: string; name: string }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [{ at, length }, setTime] = useState({ at: 0, length: 0 });
  const read = ({ currentTarget }: { currentTarget: HTMLAudioElement }) => {
    const { currentTime, duration } = currentTarget;
    setTime({ at: currentTime, length: Number.isFinite(duration) ? duration : 0 });
  };
  const toggle = () => {
    const { current } = audio;
    if (playing) current?.pause();
    else void current?.play().catch(() => setPlaying(false));
  };
  return (
    <div class="player">
      <audio
        ref={audio}
        src={url}
        preload="metadata"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onTimeUpdate={read}
        onLoadedMetadata={read}
      />
      <button
        type="button"
        class="round"
        aria-label={`${playing ? 'Pause' : 'Play'}: ${name}`}
        onClick={toggle}
      >
        <Icon name={playing ? 'pause' : 'play'} />
      </button>
      <input
        type="range"
        aria-label={`Position in: ${name}`}
        min={0}
        max={length || 1}
        step={0.01}
        value={at}
        style={{ '--done': `${length > 0 ? (at / length) * 100 : 0}%` }}
        onInput={({ currentTarget }) => {
          if (audio.current) audio.current.currentTime = Number(currentTarget.value);
        }}
      />
      <span class="player-time">
        {clock(at)} / {clock(length)}
      </span>
    </div>
  );
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
